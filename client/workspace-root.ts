import { lstat, realpath, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { InvalidInputError } from '../domain/errors';

/** The real path of a folder that is to be mounted. */
export async function workspaceRoot(given: string): Promise<string> {
  if (given.trim() === '') throw new InvalidInputError('--workspace', 'it is empty', 'Name a folder, or leave it out.');
  const path = resolve(given);
  const link = await lstat(path).catch(() => undefined);
  if (link === undefined)
    throw new InvalidInputError('--workspace', `there is no folder "${given}"`, 'Check the path.');
  if (link.isSymbolicLink()) {
    // What a link points to may change while the run goes on, and may not be what its name says.
    const target = await realpath(path).catch(() => 'nothing');
    throw new InvalidInputError('--workspace', `"${given}" is a link to ${target}`, 'Name the folder itself.');
  }
  if (!(await stat(path)).isDirectory())
    throw new InvalidInputError('--workspace', `"${given}" is not a folder`, 'Name a folder.');
  return realpath(path);
}
