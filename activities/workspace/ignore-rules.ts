import ignore, { type Ignore } from 'ignore';
import { isUtf8 } from 'node:buffer';
import { constants, lstat, open } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { hasCode } from '../../store/file/os-errors';

const maxRuleBytes = 1024 * 1024;

interface RuleFile {
  /** Converts a path relative to the mounted folder into one relative to the folder of the rule file. */
  readonly relativeTo: (path: string) => string;
  readonly rules: Ignore;
}

/** The `.gitignore` rules that apply to the entries of a folder. The rule file closest to an entry decides. */
export class IgnoreRules {
  private constructor(private readonly files: readonly RuleFile[]) {}

  /** Reads the rules for a mounted folder, including those of the git repository around it. */
  static async forRoot(root: string): Promise<IgnoreRules> {
    const files: RuleFile[] = [];
    for (const folder of await foldersOfRepository(root)) {
      const rules = await readRules(folder);
      const prefix = relative(folder, root).split(sep).join('/');
      if (rules !== undefined)
        files.push({ rules, relativeTo: (path) => (prefix === '' ? path : `${prefix}/${path}`) });
    }
    return new IgnoreRules(files);
  }

  /** Reads the rules of a folder that is not part of the repository around it, if there is one. */
  static forFolder(folder: string): Promise<IgnoreRules> {
    return new IgnoreRules([]).enter(folder, '');
  }

  /** Returns the rules for a folder further down. `path` is relative to the mounted folder. */
  async enter(folder: string, path: string): Promise<IgnoreRules> {
    const rules = await readRules(folder);
    if (rules === undefined) return this;
    return new IgnoreRules([
      ...this.files,
      { rules, relativeTo: (below) => (path === '' ? below : below.slice(path.length + 1)) },
    ]);
  }

  /** Whether an entry is ignored. `path` is relative to the mounted folder; its parent folders are not ignored. */
  ignores(path: string, isFolder: boolean): boolean {
    for (const { rules, relativeTo } of [...this.files].reverse()) {
      const { ignored, unignored } = rules.test(`${relativeTo(path)}${isFolder ? '/' : ''}`);
      if (ignored || unignored) return ignored;
    }
    return false;
  }
}

async function readRules(folder: string): Promise<Ignore | undefined> {
  const found = await readContent(join(folder, '.gitignore'), maxRuleBytes);
  return found.kind === 'content' ? ignore({ ignorecase: false }).add(found.bytes.toString('utf8')) : undefined;
}

/**
 * Returns the mounted folder and its ancestors up to the top of the repository, outermost first; only the mounted
 * folder when it is not in a repository.
 */
async function foldersOfRepository(root: string): Promise<string[]> {
  const folders = [root];
  for (let folder = root; ; folder = dirname(folder)) {
    if (folder !== root) folders.unshift(folder);
    if (await exists(join(folder, '.git'))) return folders;
    if (dirname(folder) === folder) return [root];
  }
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

/** The content of a file, or the reason why there is none. */
export type ReadContent =
  | { readonly kind: 'content'; readonly bytes: Buffer; readonly executable: boolean }
  | { readonly kind: 'tooBig' | 'unreadable'; readonly size: number }
  | { readonly kind: 'gone' };

/** Without O_NOFOLLOW, a file that was replaced by a link after it was listed would be followed out of the folder. */
const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Reads a regular file of at most `maxBytes` bytes, without following links. */
export async function readContent(path: string, maxBytes: number): Promise<ReadContent> {
  try {
    const handle = await open(path, flags);
    try {
      const found = await handle.stat();
      if (!found.isFile()) return { kind: 'gone' };
      if (found.size > maxBytes) return { kind: 'tooBig', size: found.size };
      const bytes = await handle.readFile();
      // The file may have grown since `stat`.
      if (bytes.length > maxBytes) return { kind: 'tooBig', size: bytes.length };
      return { kind: 'content', bytes, executable: (found.mode & 0o100) !== 0 };
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ELOOP', 'ENOTDIR', 'ENXIO')) return { kind: 'gone' };
    if (hasCode(error, 'EACCES', 'EPERM')) return { kind: 'unreadable', size: 0 };
    throw error;
  }
}

/** Bytes searched for NUL, as many as git searches. A NUL byte further down does not make a text binary. */
const sniffedBytes = 8_192;

/**
 * Whether the content is binary. Anything that is not UTF-8 counts as binary, because it could not be written back
 * unchanged.
 */
export function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, sniffedBytes).includes(0) || !isUtf8(bytes);
}
