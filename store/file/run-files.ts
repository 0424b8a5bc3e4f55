import { type Disk } from './disk';
import { assertStoreMounted } from './manifest';
import { mapOsErrors, undefinedIfMissing } from './os-errors';
import { PublishedFile } from './published-files';
import { RunFolder } from './run-folder';
import { UnsyncedFiles } from './unsynced-files';

/** The files of one run: what its blobs and its journal have in common. */
export class RunFiles {
  readonly folder: RunFolder;
  readonly unsynced: UnsyncedFiles;

  constructor(
    readonly disk: Disk,
    private readonly storeId: string,
    runId: string,
  ) {
    this.folder = new RunFolder(disk, storeId, runId);
    this.unsynced = new UnsyncedFiles(disk, this.folder);
  }

  /** Whether a file may be published before it is synced. */
  canPublish(later: boolean): Promise<boolean> {
    return later ? this.disk.published.isPossible() : Promise.resolve(false);
  }

  /** Writes a new file without a sync. Returns false if there is one. */
  publish(path: string, bytes: Uint8Array): Promise<boolean> {
    return this.unsynced.add(this.folder.publish(path, bytes));
  }

  /** Prepares for files that will be published soon. */
  expectWrites(count: number): void {
    if (this.disk.place.local === true) this.folder.expectWrites(count);
  }

  /** Returns when a file that was found would survive a power cut: whoever wrote it may not have synced it. */
  async persist(path: string, bytes: Uint8Array): Promise<void> {
    const found = new PublishedFile(this.disk, path, bytes);
    const [isSynced] = await Promise.all([found.sync(), this.folder.persist(path)]);
    if (!isSynced) await this.folder.writeAnew(found);
  }

  async flush(): Promise<void> {
    await mapOsErrors(this.disk.root, () => this.unsynced.flush());
  }

  read(path: string): Promise<Buffer | undefined> {
    const { files, place } = this.disk;
    return this.unlessMissing(() => files.readFile(path, place));
  }

  /** Like `undefinedIfMissing`, but throws if the store as a whole is gone. */
  async unlessMissing<T>(work: () => Promise<T>): Promise<T | undefined> {
    const found = await undefinedIfMissing(work());
    if (found !== undefined) return found;
    await assertStoreMounted(this.disk, this.storeId);
    // The store may have come back after the first look. A record that seems to be missing may cost a call.
    return undefinedIfMissing(work());
  }

  /** Runs a bounded number of operations at a time, and throws errors of the operating system as store errors. */
  guarded<T>(work: () => Promise<T>): Promise<T> {
    return mapOsErrors(this.disk.root, () => this.disk.limit.run(work));
  }
}
