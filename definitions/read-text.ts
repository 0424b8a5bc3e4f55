import { lstat, readdir, readFile } from 'node:fs/promises';
import { byCodeUnit } from '../domain/workspace';

const maxBytes = 256 * 1024;

/** Reads a definition file. Returns its text, or the reason why it cannot be used. */
export async function readDefinitionFile(
  path: string,
): Promise<{ readonly text: string } | { readonly problem: string }> {
  try {
    const stats = await lstat(path);
    // Links are rejected: one could lead out of the project, and these files decide what an agent may do.
    if (!stats.isFile()) return { problem: 'is not a regular file' };
    if (stats.size > maxBytes) return { problem: `is larger than ${maxBytes} bytes` };
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path)) };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    const isSystemError = code?.startsWith('E') === true && !code.startsWith('ERR');
    return { problem: isSystemError ? `cannot be read: ${code}` : 'is not UTF-8' };
  }
}

/** Lists a folder without hidden entries; empty when the folder does not exist. */
export async function namesIn(path: string): Promise<string[]> {
  try {
    const names = await readdir(path);
    return names.filter((name) => !name.startsWith('.')).sort(byCodeUnit);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
