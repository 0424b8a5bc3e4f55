import { dirname, join, relative, sep } from 'node:path';
import { lstat } from 'node:fs/promises';
import ignore, { type Ignore } from 'ignore';
import { readContent } from './read-content';

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

  /** Returns the rules for a folder further down. `path` is relative to the mounted folder. */
  async enter(folder: string, path: string): Promise<IgnoreRules> {
    const rules = await readRules(folder);
    if (rules === undefined) return this;
    return new IgnoreRules([...this.files, { rules, relativeTo: (below) => below.slice(path.length + 1) }]);
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
