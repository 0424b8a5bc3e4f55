import { dirname } from 'node:path';
import { type FileSystem, folderMode, realFiles } from './file-system';
import { hasCode } from './os-errors';

/**
 * Creates a folder and those above it, as far as they are missing. Returns the first one that was made; undefined if
 * the folder existed. Unlike `mkdir` with `recursive`, it fails instead of trying for ever where a file system has no
 * room for folders, such as /proc.
 */
export async function makeRoot(
  path: string,
  files: Pick<FileSystem, 'mkdir'> = realFiles,
): Promise<string | undefined> {
  try {
    await files.mkdir(path, { mode: folderMode });
    return path;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return undefined;
    if (!hasCode(error, 'ENOENT') || dirname(path) === path) throw error;
  }
  const first = await makeRoot(dirname(path), files);
  try {
    await files.mkdir(path, { mode: folderMode });
  } catch (error) {
    // Another process may have made it in the meantime.
    if (!hasCode(error, 'EEXIST')) throw error;
  }
  return first ?? path;
}
