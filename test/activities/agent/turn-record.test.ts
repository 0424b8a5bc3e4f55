import { openFileStore } from '../../../store/file/open-file-store';
import { type FileSystem, realFiles } from '../../../store/file/disk';
import { Attempts } from '../../support/activity-environment';
import { CountingModel, TurnStage } from './turn-stage';

/** Watches which blobs are not on the disk yet when the record of a turn gets its name. */
class WatchedBlobs {
  /** Blobs that were not synced when a turn was recorded. */
  unsynced: string[] | undefined;
  private readonly written = new Map<string, number>();
  private readonly open = new Map<number, string>();

  readonly files: FileSystem = {
    ...realFiles,
    create: async (path, options) => {
      const descriptor = await realFiles.create(path, options);
      this.written.set(path, descriptor);
      return descriptor;
    },
    link: async (from, to) => {
      if (to.includes('/journal/turn.')) this.unsynced = [...this.open.values()];
      if (to.includes('/blobs/')) this.open.set(this.written.get(from) ?? -1, to);
      await realFiles.link(from, to);
    },
    fsync: async (descriptor) => {
      await realFiles.fsync(descriptor);
      this.open.delete(descriptor);
    },
  };
}

test('a turn is recorded when the results that its record refers to are on the disk', async () => {
  const stage = await TurnStage.open();
  const blobs = new WatchedBlobs();
  const store = await openFileStore(stage.folder, { files: blobs.files });
  const { runTurn } = stage.activities(store, new CountingModel('long results', 'one tool'));
  await new Attempts('runTurn').next(runTurn, stage.input('one tool', 'long results'));
  expect(blobs.unsynced).toEqual([]);
});
