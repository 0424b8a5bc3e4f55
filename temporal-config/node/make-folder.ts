import { mkdirSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Creates a folder and those above it, as far as they are missing. Unlike `mkdir` with `recursive`, it fails instead of
 * trying for ever where a file system has no room for folders, such as /proc.
 */
export async function makeFolder(path: string, options: { readonly mode?: number } = {}): Promise<void> {
  if ((await make(path, options)) !== 'no parent') return;
  if (dirname(path) !== path) await makeFolder(dirname(path), options);
  await mkdir(path, options).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  });
}

async function make(path: string, options: { readonly mode?: number }): Promise<'made' | 'exists' | 'no parent'> {
  try {
    await mkdir(path, options);
    return 'made';
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return 'exists';
    if (code === 'ENOENT') return 'no parent';
    throw error;
  }
}

/** Like `makeFolder`, for the end of a process. */
export function makeFolderSync(path: string, options: { readonly mode?: number } = {}): void {
  try {
    mkdirSync(path, options);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT' || dirname(path) === path) throw error;
    makeFolderSync(dirname(path), options);
    mkdirSync(path, options);
  }
}
