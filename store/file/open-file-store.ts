import { dirname, resolve } from 'node:path';
import type { Store, StoredRun } from '../../domain/store';
import { driverStore, type DriverStoreOptions } from '../driver/driver-store';
import type { RunDriver, StoreDriver } from '../driver/ports';
import { createDisk, type Disk, runsFolder } from './disk';
import { FileBlobs } from './file-blobs';
import { FileJournal } from './file-journal';
import { type FileSystem, realFiles } from './file-system';
import { makeRoot } from './make-root';
import { assertStoreMounted, createStoreId, readStoreId } from './manifest';
import { mapOsErrors } from './os-errors';
import { RunFiles } from './run-files';
import { cleanUp, deleteRun, listRuns } from './runs';
import { VolatileFiles } from './volatile-files';

/** Options of `openFileStore`. */
export interface FileStoreOptions extends Pick<DriverStoreOptions, 'encryption'> {
  /** File system to use. Default: the real one. */
  readonly files?: FileSystem;
  /**
   * Set for a program that only reads. Otherwise every record that was found is kept in memory until the next flush, because
   * what is written then may depend on it. Default: false.
   */
  readonly onlyReads?: boolean | undefined;
}

/**
 * Opens the store in a folder. Creates it if the folder is empty or does not exist. Throws a `StoreError` if the folder
 * can't be used or contains something else.
 *
 * @example
 * const store = await openFileStore('.baton/state/store', { encryption: readSettings().encryption });
 * for (const { runId } of await store.listRuns()) console.log(runId);
 */
export async function openFileStore(
  root: string,
  { files = realFiles, onlyReads, ...options }: FileStoreOptions = {},
): Promise<Store> {
  return driverStore(await openFiles(createDisk(resolve(root), files, onlyReads)), options);
}

/** Whether a folder contains a store. Throws a `StoreError` if it can't be read. */
export async function isFileStore(root: string): Promise<boolean> {
  const disk = createDisk(resolve(root), realFiles);
  return mapOsErrors(disk.root, async () => (await readStoreId(disk)) !== undefined);
}

async function openFiles(disk: Disk): Promise<StoreDriver> {
  return mapOsErrors(disk.root, async () => {
    const firstMade = await makeRoot(disk.root, disk.files);
    if (firstMade !== undefined) await disk.folders.persist(disk.root, dirname(firstMade));
    const id = (await readStoreId(disk)) ?? (await createStoreId(disk));
    await disk.folders.ensure(runsFolder(disk.root), disk.root);
    await disk.folders.persist(runsFolder(disk.root), disk.root);
    await cleanUp(disk);
    return new FileDriver(disk, id);
  });
}

class FileDriver implements StoreDriver {
  constructor(
    private readonly disk: Disk,
    readonly id: string,
  ) {}

  get location(): string {
    return this.disk.root;
  }

  forRun(runId: string): RunDriver {
    const files = new RunFiles(this.disk, this.id, runId);
    return {
      blobs: new FileBlobs(files),
      journal: new FileJournal(files),
      flush: () => files.flush(),
      expectWrites: (count) => {
        files.expectWrites(count);
      },
      volatile: new VolatileFiles(this.disk, files.folder),
    };
  }

  async checkWritable(): Promise<void> {
    await mapOsErrors(this.disk.root, async () => {
      await assertStoreMounted(this.disk, this.id);
      await this.disk.probe.check();
    });
  }

  async listRuns(): Promise<readonly StoredRun[]> {
    return mapOsErrors(this.disk.root, async () => {
      await assertStoreMounted(this.disk, this.id);
      return listRuns(this.disk);
    });
  }

  async deleteRun(runId: string, confirm?: () => Promise<boolean>): Promise<boolean> {
    return mapOsErrors(this.disk.root, async () => {
      await assertStoreMounted(this.disk, this.id);
      return deleteRun(this.disk, runId, confirm);
    });
  }
}
