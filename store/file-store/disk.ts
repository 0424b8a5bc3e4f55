import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Limit } from '../limit';
import { fileMode, type FileSystem } from './file-system';
import { Folders } from './folders';

/** Bounds open files: thousands of writes at once would run the process out of descriptors. */
const operationsAtATime = 64;

/** A store's folder and the means to work in it; one per open store. */
export interface Disk {
  readonly root: string;
  readonly files: FileSystem;
  readonly folders: Folders;
  readonly limit: Limit;
}

export function createDisk(root: string, files: FileSystem): Disk {
  return { root, files, folders: new Folders(files), limit: new Limit(operationsAtATime) };
}

export const runsFolder = (root: string): string => join(root, 'runs');
/** Runs on their way out: renamed to here in one step, then removed file by file. */
export const deletedFolder = (root: string): string => join(root, 'deleted');
export const manifestFile = (root: string): string => join(root, 'store.json');

export const temporaryName = (): string => `${randomUUID()}.tmp`;

/** Writes a new file and returns when its bytes are on the disk. When that fails, nothing of it stays behind. */
export async function writeDurably(files: FileSystem, path: string, bytes: Uint8Array): Promise<void> {
  try {
    await files.writeFile(path, bytes, { flag: 'wx', mode: fileMode, flush: true });
  } catch (error) {
    await removeQuietly(files, path);
    throw error;
  }
}

/** For files that nobody misses: a later clean-up takes what cannot be removed now. */
export async function removeQuietly(files: FileSystem, path: string): Promise<void> {
  await files.unlink(path).catch(() => undefined);
}
