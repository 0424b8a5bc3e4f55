import { lstat, readdir, readFile, realpath, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { BlobRef, RunStore } from '../../domain/store';
import { contentRef, type FileEntry, foldersAbove, isProtectedPath, parsePath } from '../../domain/workspace';
import { sha256 } from '../../store/blobs';
import { undefinedIfMissing } from '../../store/file/os-errors';
import { diffTrees, type TreeChange } from '../../store/workspace/diff';
import { findScriptChanges, type ScriptChange } from '../../store/workspace/script-changes';
import { assertInside, writeInside } from './write-inside';

/** The changes to apply, as two trees in the store. */
export interface ApplyInput {
  readonly store: Pick<RunStore, 'runId' | 'get' | 'put'>;
  /** Tree that the run started from. */
  readonly base: BlobRef;
  /** Tree that the run produced. */
  readonly root: BlobRef;
  /** Overwrite files that have changed in the folder since the run started. Default: false. */
  readonly force?: boolean;
  /** Make changes that can run programs without being asked, such as those of hooks and CI files. Default: false. */
  readonly allowScripts?: boolean;
}

/** The result of applying a run's changes. */
export interface ApplyReport {
  /** False when nothing was written because of the obstacles or of changes that need `allowScripts`. */
  readonly applied: boolean;
  readonly written: readonly string[];
  readonly deleted: readonly string[];
  /** Files that already had the run's content. */
  readonly unchanged: readonly string[];
  readonly obstacles: readonly Obstacle[];
  /** Changes that can run programs without being asked. Without `allowScripts`, they prevent all others. */
  readonly scripts: readonly ScriptChange[];
}

/** Writes a run's changes to a folder: all of them, or none if the folder has changed since the run started. */
export async function applyTo(folder: string, input: ApplyInput): Promise<ApplyReport> {
  const { store, base, root, force = false, allowScripts = false } = input;
  const top = await realpath(folder);
  const changes = await diffTrees(store, base, root);
  const { writes, deletes, done, obstacles } = await planApply(top, changes);
  const finished = new Set(done);
  const scripts = await findScriptChanges(
    store,
    changes.filter(({ path }) => !finished.has(path)),
  );
  if (obstacles.some((obstacle) => obstacle.forbidden || !force) || (scripts.length > 0 && !allowScripts)) {
    return { applied: false, written: [], deleted: [], unchanged: done, obstacles, scripts };
  }
  // Read every file before the first write, so that a damaged store is noticed before anything has changed.
  for (const { path, file } of writes) await store.get(contentRef(file), `file "${path}" of the workspace`);
  // Delete first, because a folder may have to make room for a file.
  for (const path of deletes) await remove(top, path);
  for (const { path, file, executable } of writes) {
    const content = await store.get(contentRef(file), `file "${path}" of the workspace`);
    await writeInside(top, path, content, executable);
  }
  const written = writes.map(({ path }) => path);
  return { applied: true, written, deleted: deletes, unchanged: done, obstacles, scripts };
}

async function remove(top: string, path: string): Promise<void> {
  await assertInside(top, path);
  await unlink(join(top, path));
  for (const folder of foldersAbove(path).reverse()) {
    const emptied = await rmdir(join(top, folder)).then(
      () => true,
      () => false,
    );
    if (!emptied) return;
  }
}

/** A reason not to make a change. A `forbidden` change is not made with `force` either. */
interface Obstacle {
  readonly path: string;
  readonly reason: string;
  readonly forbidden: boolean;
}

interface PlannedWrite {
  readonly path: string;
  readonly file: FileEntry;
  /** Whether the file becomes executable; undefined if that stays as it is. */
  readonly executable: boolean | undefined;
}

/** The changes to make in a folder, and what is in their way. */
interface ApplyPlan {
  readonly writes: readonly PlannedWrite[];
  readonly deletes: readonly string[];
  /** Files that already have the run's content. */
  readonly done: readonly string[];
  readonly obstacles: readonly Obstacle[];
}

/** Compares the folder with what the run started from, before anything is written. `folder` must be a real path. */
async function planApply(folder: string, changes: readonly TreeChange[]): Promise<ApplyPlan> {
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
    if (after?.kind === 'file') plan.writes.push({ path, file: after, executable: newExecutability(change) });
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
  const executable = newExecutability(change);
  const isExecutable = (existing.mode & 0o100) !== 0;
  const hasMode = before === undefined || executable === undefined || executable === isExecutable;
  if (after?.kind === 'file' && after.hash === hash && hasMode) return 'done';
  if (before?.kind === 'file' && before.hash === hash) return undefined;
  return changed(before === undefined ? 'already exists' : 'has changed since the run started');
}

/** Whether a change makes a file executable, or no longer so; undefined if it says nothing about that. */
function newExecutability({ before, after }: TreeChange): boolean | undefined {
  const [old, now] = [before, after].map((entry) => entry?.kind === 'file' && entry.executable === true);
  return before?.kind === 'file' && old === now ? undefined : now === true;
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
