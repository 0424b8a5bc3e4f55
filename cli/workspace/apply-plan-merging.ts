import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { foldersAbove, parsePath } from '../../domain/workspace/path';
import type { FileEntry } from '../../domain/workspace/file-tree';
import { isProtectedPath } from '../../domain/workspace/withheld';
import { sha256 } from '../../store/digest';
import { undefinedIfMissing } from '../../store/file/os-errors';
import type { TreeChange } from '../../store/workspace/diff';

/** A reason not to make a change. A `forbidden` change is not made with `force` either. */
export interface Obstacle {
  readonly path: string;
  readonly reason: string;
  readonly forbidden: boolean;
}

/** The changes to make in a folder, and what is in their way. */
export interface ApplyPlan {
  readonly writes: readonly { readonly path: string; readonly file: FileEntry }[];
  readonly deletes: readonly string[];
  /** Files that already have the run's content. */
  readonly done: readonly string[];
  readonly obstacles: readonly Obstacle[];
}

/** Compares the folder with what the run started from, before anything is written. `folder` must be a real path. */
export async function planApply(folder: string, changes: readonly TreeChange[]): Promise<ApplyPlan> {
  const plan = { writes: [], deletes: [], done: [], obstacles: [] } as {
    -readonly [K in keyof ApplyPlan]: ApplyPlan[K][number][];
  };
  const toDelete = new Set(changes.filter(({ after }) => after === undefined).map(({ path }) => path));
  for (const change of changes) {
    const { path, after } = change;
    const found = await examine(folder, change, toDelete);
    if (found === 'done') plan.done.push(path);
    else if (found !== undefined) plan.obstacles.push({ path, ...found });
    // A changed file is in both lists, because it is overwritten with `force`.
    if (found === 'done' || found?.forbidden === true) continue;
    if (after?.kind === 'file') plan.writes.push({ path, file: after });
    else plan.deletes.push(path);
  }
  return plan;
}

type Finding = Omit<Obstacle, 'path'> | 'done' | undefined;
const forbidden = (reason: string): Finding => ({ reason, forbidden: true });
const changed = (reason: string): Finding => ({ reason, forbidden: false });

async function examine(folder: string, change: TreeChange, toDelete: ReadonlySet<string>): Promise<Finding> {
  const { path, before, after } = change;
  if (parsePath(path) !== path || isProtectedPath(path)) return forbidden('is never written to');
  if (unusual(before) || unusual(after)) return forbidden('is not a plain file in the workspace');
  const blocked = await examineFolders(folder, path, toDelete);
  if (blocked !== undefined) return blocked;
  const existing = await undefinedIfMissing(lstat(join(folder, path))).catch(() => undefined);
  if (existing === undefined) return absent(change);
  if (existing.isDirectory()) return examineFolder(folder, path, toDelete);
  if (!existing.isFile()) return forbidden('is a symbolic link or a special file');
  const hash = sha256(await readFile(join(folder, path)));
  if (after?.kind === 'file' && after.hash === hash) return 'done';
  if (before?.kind === 'file' && before.hash === hash) return undefined;
  return changed(before === undefined ? 'already exists' : 'has changed since the run started');
}

function absent({ before, after }: TreeChange): Finding {
  if (after === undefined) return 'done';
  return before === undefined ? undefined : changed('was deleted after the run started');
}

function unusual(entry: TreeChange['before']): boolean {
  return entry !== undefined && entry.kind !== 'file';
}

/** Every folder above a file must be a real folder or not exist yet, because a symbolic link could lead anywhere. */
async function examineFolders(folder: string, path: string, toDelete: ReadonlySet<string>): Promise<Finding> {
  for (const above of foldersAbove(path)) {
    const existing = await undefinedIfMissing(lstat(join(folder, above)));
    if (existing === undefined) return undefined;
    if (existing.isSymbolicLink()) return forbidden(`is below the symbolic link "${above}"`);
    if (!existing.isDirectory())
      return toDelete.has(above) ? undefined : forbidden(`needs a folder where "${above}" is a file`);
  }
  return undefined;
}

/** A folder may be replaced by a file only if every file in it is deleted anyway. */
async function examineFolder(folder: string, path: string, toDelete: ReadonlySet<string>): Promise<Finding> {
  const inside = await readdir(join(folder, path), { recursive: true, withFileTypes: true });
  const files = inside.filter((entry) => !entry.isDirectory());
  const prefix = join(folder, path).length - path.length;
  const hasOtherFiles = files.some((entry) => !toDelete.has(join(entry.parentPath, entry.name).slice(prefix)));
  return hasOtherFiles ? forbidden('is a folder') : undefined;
}
