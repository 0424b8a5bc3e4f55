import { join } from 'node:path';
import { StoreUnavailableError } from '../../domain/store';
import { type Disk, runsFolder, temporaryFolder } from './disk';
import { removeQuietly, writeDurably } from './file-system';
import { hasCode, undefinedIfMissing } from './os-errors';

/** Milliseconds for which a mark is heeded. An older one was left behind by a process that died. */
export const deletionMarkMs = 10 * 60 * 1000;

/** The name makes a forgotten mark a temporary file that is removed when the store is opened. */
const markOf = (folder: string): string => join(temporaryFolder(folder), 'deletion.tmp');

/** A mark in a run's folder. While it is there, nothing can be written to the run. */
export interface DeletionMark {
  /** Time at which it was set, in milliseconds since the epoch. */
  readonly at: number;
  remove(): Promise<void>;
}

/** Marks a run's folder for deletion; undefined when another process is deleting the run. */
export async function markDeletion(disk: Disk, folder: string): Promise<DeletionMark | undefined> {
  const path = markOf(folder);
  if (await isMarked(disk, folder)) return undefined;
  await removeQuietly(disk.files, path);
  await disk.folders.ensure(temporaryFolder(folder), runsFolder(disk.root));
  const at = Date.now();
  try {
    await writeDurably(disk.files, path, new Uint8Array());
  } catch (error) {
    if (hasCode(error, 'EEXIST', 'ENOENT')) return undefined;
    throw error;
  }
  return { at, remove: () => removeQuietly(disk.files, path) };
}

/** Throws if the run is being deleted. The failure is retried, and succeeds once the old data is gone. */
export async function assertNotBeingDeleted(disk: Disk, folder: string, runId: string): Promise<void> {
  if (!(await isMarked(disk, folder))) return;
  throw new StoreUnavailableError(disk.root, `\`baton gc\` is deleting the data of run "${runId}"`);
}

async function isMarked({ files, place }: Disk, folder: string): Promise<boolean> {
  const mark = await undefinedIfMissing(files.stat(markOf(folder), place));
  return mark !== undefined && Date.now() - mark.mtimeMs < deletionMarkMs;
}
