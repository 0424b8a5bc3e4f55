import { lstat, realpath, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { InvalidInputError } from '../../domain/kernel';

/** Returns the real path of a folder to mount. Throws if it is not a folder, or is a symbolic link. */
export async function workspaceRoot(folder: string): Promise<string> {
  if (folder.trim() === '')
    throw new InvalidInputError('--workspace', 'it is empty', 'Pass a folder, or omit the option.');
  const path = resolve(folder);
  const link = await lstat(path).catch(() => undefined);
  if (link === undefined)
    throw new InvalidInputError('--workspace', `the folder "${folder}" does not exist`, 'Check the path.');
  if (link.isSymbolicLink()) {
    // The target of a link may change during the run, and may not be what its name suggests.
    const target = await realpath(path).catch(() => 'nothing');
    throw new InvalidInputError(
      '--workspace',
      `"${folder}" is a symbolic link to ${target}`,
      'Pass the folder itself.',
    );
  }
  if (!(await stat(path)).isDirectory())
    throw new InvalidInputError('--workspace', `"${folder}" is not a folder`, 'Pass a folder.');
  return realpath(path);
}
