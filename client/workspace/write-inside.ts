import { randomUUID } from 'node:crypto';
import { chmod, lstat, mkdir, open, readdir, realpath, rename, rm, rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { CliError, exitCodes } from '../cli';

/**
 * Writes a file below `top`, a real path, with the folders on the way. It gets its name when it is complete, so that nobody
 * ever sees half of it; a file that is replaced leaves its permissions to the new one.
 */
export async function writeInside(top: string, path: string, content: Uint8Array, executable = false): Promise<void> {
  const target = join(top, path);
  await mkdir(dirname(target), { recursive: true });
  await assertInside(top, path);
  const before = await lstat(target).catch(() => undefined);
  if (before?.isDirectory() === true) await removeEmptyFolder(target);
  const temporary = join(dirname(target), `.${randomUUID()}.${basename(target).slice(0, 50)}.tmp`);
  try {
    await writeNew(temporary, content, executable ? 0o777 : 0o666);
    if (before?.isFile() === true) await chmod(temporary, before.mode & 0o7777);
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
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

/** `rmdir` and nothing stronger: a file in it, wherever it came from, makes this fail. */
async function removeEmptyFolder(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) await removeEmptyFolder(join(folder, entry.name));
  }
  await rmdir(folder);
}

/** Looked at right before a write: since it was planned a folder may have become a link that leads elsewhere. */
export async function assertInside(top: string, path: string): Promise<void> {
  const expected = dirname(join(top, path));
  if ((await realpath(expected)) === expected) return;
  throw new CliError(exitCodes.failed, `"${path}" is behind a link that leads elsewhere: not written.`);
}
