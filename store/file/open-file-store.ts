import { dirname, resolve } from 'node:path';
import type { RunStore, Store, StoredRun } from '../../domain/store';
import { createDisk, type Disk, runsFolder } from './disk';
import { FileRunStore } from './file-run-store';
import { type FileSystem, folderMode, realFiles } from './file-system';
import { assertStoreMounted, createStoreId, readStoreId } from './manifest';
import { hasCode, mapOsErrors } from './os-errors';
import { cleanUp, deleteRun, listRuns } from './runs';

/** Options of `openFileStore`. */
export interface FileStoreOptions {
  /** File system to use. Default: the real one. */
  readonly files?: FileSystem;
}

/**
 * Opens the store in a folder. Creates it if the folder is empty or does not exist. Throws a `StoreError` if the folder
 * can't be used or contains something else.
 *
 * @example
 * const store = await openFileStore(readSettings().storeDir);
 * for (const { runId } of await store.listRuns()) console.log(runId);
 */
export async function openFileStore(root: string, options: FileStoreOptions = {}): Promise<Store> {
  const disk = createDisk(resolve(root), options.files ?? realFiles);
  return mapOsErrors(disk.root, async () => {
    const firstMade = await makeRoot(disk.files, disk.root);
    if (firstMade !== undefined) await disk.folders.persist(disk.root, dirname(firstMade));
    const id = (await readStoreId(disk)) ?? (await createStoreId(disk));
    await disk.folders.ensure(runsFolder(disk.root), disk.root);
    await disk.folders.persist(runsFolder(disk.root), disk.root);
    await cleanUp(disk);
    return new FileStore(disk, id);
  });
}

/**
 * Creates a folder and those above it, as far as they are missing. Returns the first one that was made; undefined if
 * the folder existed. Unlike `mkdir` with `recursive`, it fails instead of trying for ever where a file system has no
 * room for folders, such as /proc.
 */
async function makeRoot(files: Pick<FileSystem, 'mkdir'>, path: string): Promise<string | undefined> {
  try {
    await files.mkdir(path, { mode: folderMode });
    return path;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return undefined;
    if (!hasCode(error, 'ENOENT') || dirname(path) === path) throw error;
  }
  const first = await makeRoot(files, dirname(path));
  try {
    await files.mkdir(path, { mode: folderMode });
  } catch (error) {
    // Another process may have made it in the meantime.
    if (!hasCode(error, 'EEXIST')) throw error;
  }
  return first ?? path;
}

class FileStore implements Store {
  constructor(
    private readonly disk: Disk,
    readonly id: string,
  ) {}

  forRun(runId: string): RunStore {
    return new FileRunStore(this.disk, this.id, runId);
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
