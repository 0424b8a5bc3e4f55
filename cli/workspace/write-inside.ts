import { randomUUID } from 'node:crypto';
import { chmod, lstat, open, readdir, realpath, rename, rm, rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { makeFolder } from '../../temporal-config/node/make-folder';
import { CliError, exitCodes } from '../context';

/**
 * Writes a file below `top`, a real path, and creates the folders above it. The file gets its name when it is complete,
 * so
 * no other process ever sees a part of it. A file that replaces another one takes over its permissions, except for
 * whether it is executable, if that is given.
 */
export async function writeInside(top: string, path: string, content: Uint8Array, executable?: boolean): Promise<void> {
  const target = join(top, path);
  await makeFolder(dirname(target));
  await assertInside(top, path);
  const before = await lstat(target).catch(() => undefined);
  if (before?.isDirectory() === true) await removeEmptyFolder(target);
  const temporary = join(dirname(target), `.${randomUUID()}.${basename(target).slice(0, 50)}.tmp`);
  try {
    await writeNew(temporary, content, executable === true ? 0o777 : 0o666);
    if (before?.isFile() === true) await chmod(temporary, withExecutability(before.mode & 0o7777, executable));
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Whoever may read an executable file may execute it. */
function withExecutability(mode: number, executable: boolean | undefined): number {
  if (executable === undefined || executable === ((mode & 0o100) !== 0)) return mode;
  return executable ? mode | ((mode & 0o444) >> 2) : mode & ~0o111;
}

async function writeNew(path: string, content: Uint8Array, mode: number): Promise<void> {
  const handle = await open(path, 'wx', mode);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Uses only `rmdir`, so that it fails if there is a file in the folder, wherever it came from. */
async function removeEmptyFolder(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) await removeEmptyFolder(join(folder, entry.name));
  }
  await rmdir(folder);
}

/** Called right before a write, because a folder may have been replaced by a symbolic link since planning. */
export async function assertInside(top: string, path: string): Promise<void> {
  const expected = dirname(join(top, path));
  if ((await realpath(expected)) === expected) return;
  throw new CliError(exitCodes.failed, `"${path}" was not written: a symbolic link leads outside the target folder.`);
}
