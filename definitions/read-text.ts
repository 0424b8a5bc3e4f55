import { lstat, readdir, readFile } from 'node:fs/promises';
import { dirname, relative } from 'node:path';
import { byCodeUnit } from '../domain/workspace';

const maxBytes = 256 * 1024;

/** Maximum files of a folder that are open at once: a process has a limit, at which any file would seem unreadable. */
export const maxOpenFiles = 32;

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
    return { problem: systemProblem(error) ?? 'is not UTF-8' };
  }
}

/** A folder of definition files. */
export interface DefinitionFolder {
  readonly path: string;
  /** The project or package that contains the folder. No folder between the two may be a link. */
  readonly within?: string;
}

/**
 * Lists a folder without hidden entries; empty when the folder does not exist. Returns the reason if it cannot be read,
 * so that one folder never keeps the others from being used.
 */
export async function namesIn({ path, within = path }: DefinitionFolder): Promise<{
  readonly names: readonly string[];
  readonly problem?: string;
}> {
  try {
    for (let at = path; at !== within && relative(within, at) !== ''; at = dirname(at)) {
      if ((await lstat(at)).isSymbolicLink())
        return { names: [], problem: 'is ignored: it is, or is in, a symbolic link, and links are not followed' };
    }
    const names = await readdir(path);
    return { names: names.filter((name) => !name.startsWith('.')).sort(byCodeUnit) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { names: [] };
    return { names: [], problem: systemProblem(error) ?? String(error) };
  }
}

/** Says what the operating system objects to; undefined for an error that does not come from it. */
export function systemProblem(error: unknown): string | undefined {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'ENOTDIR') return 'is not a folder';
  return code?.startsWith('E') === true && !code.startsWith('ERR') ? `cannot be read: ${code}` : undefined;
}
