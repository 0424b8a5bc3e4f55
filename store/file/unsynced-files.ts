import { dirname } from 'node:path';
import type { Disk } from './disk';
import { PublishedFile } from './published-files';
import type { RunFolder } from './run-folder';

/** What one object of a run's store has published or found since its last flush. */
export class UnsyncedFiles {
  private readonly pending = new Set<PublishedFile>();
  private readonly found = new Map<string, PublishedFile>();
  /** Files that are being published. */
  private readonly publishing = new Set<Promise<unknown>>();

  constructor(
    private readonly disk: Disk,
    private readonly folder: RunFolder,
  ) {}

  /** Adds a file that this object is publishing; undefined if it turns out to exist. Returns whether it was published. */
  async add(publishing: Promise<PublishedFile | undefined>): Promise<boolean> {
    this.publishing.add(publishing);
    try {
      const file = await publishing;
      if (file !== undefined) this.pending.add(file);
      return file !== undefined;
    } finally {
      this.publishing.delete(publishing);
    }
  }

  /** Adds a file that was there already. `bytes` is its content. */
  addFound(target: string, bytes: Uint8Array): void {
    if (!this.found.has(target)) this.found.set(target, new PublishedFile(this.disk, target, bytes));
  }

  /**
   * Returns when all of them would survive a power cut, and those that are being published. All files and folders are synced
   * at the same time.
   */
  async flush(): Promise<void> {
    const { disk, folder } = this;
    await Promise.allSettled(this.publishing);
    const files = [...new Set([...this.pending, ...this.found.values(), ...disk.published.failedIn(folder.path)])];
    if (files.length === 0) return;
    const folders = new Set(files.map(({ target }) => dirname(target)));
    const persisted = Promise.allSettled([...folders].map((path) => folder.persistFolder(path)));
    const synced = await Promise.all(files.map((file) => disk.limit.run(() => file.sync())));
    const unsynced = files.filter((_, index) => synced[index] !== true);
    for (const file of unsynced) disk.published.failed(folder.path, file);
    for (const result of await persisted) if (result.status === 'rejected') throw result.reason;
    await Promise.all(unsynced.map((file) => disk.limit.run(() => folder.writeAnew(file))));
    for (const file of files) {
      disk.published.done(folder.path, file);
      this.pending.delete(file);
      this.found.delete(file.target);
    }
  }
}
