import { lstat, readdir, readFile } from 'node:fs/promises';
import { byCodeUnit } from '../../domain/workspace/path';

const maxBytes = 256 * 1024;

/** The text of a file that defines something, or why it cannot be used. */
export async function readText(path: string): Promise<{ readonly text: string } | { readonly problem: string }> {
  try {
    const stats = await lstat(path);
    // A link may lead out of the project, and such a file decides what an agent may do.
    if (!stats.isFile()) return { problem: 'is not a plain file' };
    if (stats.size > maxBytes) return { problem: `is larger than ${maxBytes} bytes` };
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path)) };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    const ofSystem = code?.startsWith('E') === true && !code.startsWith('ERR');
    return { problem: ofSystem ? `cannot be read: ${code}` : 'is not UTF-8' };
  }
}

/** What is in a folder, hidden entries apart; a folder that is not there has nothing. */
export async function namesIn(path: string): Promise<string[]> {
  try {
    const names = await readdir(path);
    return names.filter((name) => !name.startsWith('.')).sort(byCodeUnit);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
