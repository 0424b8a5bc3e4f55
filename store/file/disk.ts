import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { ConcurrencyLimit } from '../../domain/kernel/concurrency';
import { fileMode, type FileSystem } from './file-system';
import { DurableFolders } from './folders';

/** Maximum concurrent file operations. Thousands of writes at once would exhaust the process's file descriptors. */
const operationsAtATime = 64;

/** The folder of an open store, and the helpers that read and write it. One per open store. */
export interface Disk {
  readonly root: string;
  readonly files: FileSystem;
  readonly folders: DurableFolders;
  readonly limit: ConcurrencyLimit;
}

/** Creates the disk access for one store folder. */
export function createDisk(root: string, files: FileSystem): Disk {
  return { root, files, folders: new DurableFolders(files), limit: new ConcurrencyLimit(operationsAtATime) };
}

/** Folder that contains one folder per run. */
export const runsFolder = (root: string): string => join(root, 'runs');
/** Folder of runs that are being deleted: a run is renamed into it in one step, then removed file by file. */
export const deletedFolder = (root: string): string => join(root, 'deleted');
/** File that identifies the folder as a store. */
export const manifestFile = (root: string): string => join(root, 'store.json');

/** Returns a unique file name that `cleanUp` recognizes as temporary. */
export const temporaryName = (): string => `${randomUUID()}.tmp`;

/** Writes a new file and returns when its bytes are on the disk. On failure, removes the incomplete file. */
export async function writeDurably(files: FileSystem, path: string, bytes: Uint8Array): Promise<void> {
  try {
    await files.writeFile(path, bytes, { flag: 'wx', mode: fileMode, flush: true });
  } catch (error) {
    await removeQuietly(files, path);
    throw error;
  }
}

/** Removes a file that is no longer needed, ignoring errors. A later clean-up removes what is left. */
export async function removeQuietly(files: FileSystem, path: string): Promise<void> {
  await files.unlink(path).catch(() => undefined);
}
