import { dirname, join, relative, sep } from 'node:path';
import { lstat } from 'node:fs/promises';
import ignore, { type Ignore } from 'ignore';
import { readContent } from './read-content';

const maxRuleBytes = 1024 * 1024;

interface RuleFile {
  /** Folder that the rules stand in, from the mounted folder; "" for that one. Rules above it have what leads down to it. */
  readonly relativeTo: (path: string) => string;
  readonly rules: Ignore;
}

/** What the `.gitignore` files on the way to a folder say about its entries. The one closest to an entry decides. */
export class IgnoreRules {
  private constructor(private readonly files: readonly RuleFile[]) {}

  /** Rules for a mounted folder, with those of the git repository that it is a part of. */
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

  /** Rules for what is in a folder further down. `path` is from the mounted folder. */
  async enter(folder: string, path: string): Promise<IgnoreRules> {
    const rules = await readRules(folder);
    if (rules === undefined) return this;
    return new IgnoreRules([...this.files, { rules, relativeTo: (below) => below.slice(path.length + 1) }]);
  }

  /** `path` is from the mounted folder. The folders it stands in are known not to be ignored. */
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

/** The mounted folder and those above it up to the top of its repository, outermost first; just itself when it is in none. */
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
