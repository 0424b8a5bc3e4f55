import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { foldersAbove, parsePath } from '../../domain/workspace/path';
import type { FileEntry } from '../../domain/workspace/tree';
import { isNeverWritten } from '../../domain/workspace/withheld';
import { sha256 } from '../../store/digest';
import { unlessAbsent } from '../../store/file-store/os-errors';
import type { TreeChange } from '../../store/workspace/diff';

/** Why a change is not made. What is `forbidden` is not made by force either. */
export interface Obstacle {
  readonly path: string;
  readonly reason: string;
  readonly forbidden: boolean;
}

export interface ApplyPlan {
  readonly writes: readonly { readonly path: string; readonly file: FileEntry }[];
  readonly deletes: readonly string[];
  /** Files that are as the run left them already. */
  readonly done: readonly string[];
  readonly obstacles: readonly Obstacle[];
}

/** Compares the folder with what the run was given, before anything is written. `folder` is a real path. */
export async function planApply(folder: string, changes: readonly TreeChange[]): Promise<ApplyPlan> {
  const plan = { writes: [], deletes: [], done: [], obstacles: [] } as {
    -readonly [K in keyof ApplyPlan]: ApplyPlan[K][number][];
  };
  const leaving = new Set(changes.filter(({ after }) => after === undefined).map(({ path }) => path));
  for (const change of changes) {
    const { path, after } = change;
    const found = await examine(folder, change, leaving);
    if (found === 'done') plan.done.push(path);
    else if (found !== undefined) plan.obstacles.push({ path, ...found });
    // By force a changed file is overwritten, so that it stands in both lists.
    if (found === 'done' || found?.forbidden === true) continue;
    if (after?.kind === 'file') plan.writes.push({ path, file: after });
    else plan.deletes.push(path);
  }
  return plan;
}

type Finding = Omit<Obstacle, 'path'> | 'done' | undefined;
const forbidden = (reason: string): Finding => ({ reason, forbidden: true });
const changed = (reason: string): Finding => ({ reason, forbidden: false });

async function examine(folder: string, change: TreeChange, leaving: ReadonlySet<string>): Promise<Finding> {
  const { path, before, after } = change;
  if (parsePath(path) !== path || isNeverWritten(path)) return forbidden('is never written to');
  if (unusual(before) || unusual(after)) return forbidden('is not a plain file in the workspace');
  const blocked = await examineFolders(folder, path, leaving);
  if (blocked !== undefined) return blocked;
  const there = await unlessAbsent(lstat(join(folder, path))).catch(() => undefined);
  if (there === undefined) return absent(change);
  if (there.isDirectory()) return examineFolder(folder, path, leaving);
  if (!there.isFile()) return forbidden('is a link or a special file');
  const hash = sha256(await readFile(join(folder, path)));
  if (after?.kind === 'file' && after.hash === hash) return 'done';
  if (before?.kind === 'file' && before.hash === hash) return undefined;
  return changed(before === undefined ? 'exists already' : 'was changed since the run was started');
}

function absent({ before, after }: TreeChange): Finding {
  if (after === undefined) return 'done';
  return before === undefined ? undefined : changed('was deleted since the run was started');
}

function unusual(entry: TreeChange['before']): boolean {
  return entry !== undefined && entry.kind !== 'file';
}

/** Every folder on the way must be one, or not be there yet: a link could lead anywhere. */
async function examineFolders(folder: string, path: string, leaving: ReadonlySet<string>): Promise<Finding> {
  for (const above of foldersAbove(path)) {
    const there = await unlessAbsent(lstat(join(folder, above)));
    if (there === undefined) return undefined;
    if (there.isSymbolicLink()) return forbidden(`is behind the link "${above}"`);
    if (!there.isDirectory())
      return leaving.has(above) ? undefined : forbidden(`needs a folder where "${above}" is a file`);
  }
  return undefined;
}

/** A folder can give way to a file only if nothing would be lost with it. */
async function examineFolder(folder: string, path: string, leaving: ReadonlySet<string>): Promise<Finding> {
  const inside = await readdir(join(folder, path), { recursive: true, withFileTypes: true });
  const files = inside.filter((entry) => !entry.isDirectory());
  const prefix = join(folder, path).length - path.length;
  const kept = files.some((entry) => !leaving.has(join(entry.parentPath, entry.name).slice(prefix)));
  return kept ? forbidden('is a folder') : undefined;
}
