import { type BigIntStats, lstatSync } from 'node:fs';
import { chmod, lstat, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { isExcludedPath, joinPath } from '../../domain/workspace';
import { undefinedIfMissing } from '../../store/file/os-errors';
import { IgnoreRules } from '../workspace/ignore-rules';

/** A file or link of the workspace in a scratch folder, as the engine last saw it. */
export interface PlacedFile {
  readonly hash: string;
  readonly executable: boolean;
  readonly kind: 'file' | 'link';
  /** Changes whenever the file changes. */
  readonly signature: string;
}

/** What a scratch folder contains of the workspace, by path. */
export type PlacedFiles = Map<string, PlacedFile>;

/** Identifies a state of a file. A command can set every time of a file except that of its last change. */
export function signatureOf({ ino, size, mode, ctimeNs }: BigIntStats): string {
  return [ino, size, mode, ctimeNs].join(' ');
}

/**
 * Returns facts about a file, without following a link; undefined if it does not exist. At once, because that takes a
 * tenth of the time. Whoever looks at many files lets other work run in between, with `Turns`.
 */
export function look(path: string): BigIntStats | undefined {
  return lstatSync(path, { bigint: true, throwIfNoEntry: false });
}

/** Number of files after which other work of the process gets its turn. */
const filesPerTurn = 64;

/** Lets other work of the process run in between. */
export class Turns {
  private done = 0;

  /** Call it for each file. */
  async next(): Promise<void> {
    this.done += 1;
    if (this.done % filesPerTurn === 0) await setImmediate();
  }
}

/** Folders with downloads and results of tools. They don't count as changes, even if `.gitignore` does not mention them. */
const toolFolders: ReadonlySet<string> = new Set([
  'node_modules',
  '.venv',
  '__pycache__',
  '.pytest_cache',
  '.mypy_cache',
  '.ruff_cache',
  '.cache',
]);

/** Why something in a scratch folder is not part of the workspace. */
type OutsideReason = 'ignored' | 'excluded';

/** An entry of a scratch folder. */
export interface ScratchEntry {
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'link' | 'special';
  /** Set for what is never part of the workspace. */
  readonly outside?: OutsideReason;
}

/** Lists a scratch folder, a folder before its entries, without following links. */
export interface ScratchWalk {
  /** Folders and files of the workspace. They are never ignored. */
  readonly workspace: {
    readonly folders: { has(path: string): boolean };
    readonly files: { has(path: string): boolean };
  };
  /** Called for each entry. Entries of a folder are listed if it returns true. */
  readonly visit: (entry: ScratchEntry) => Promise<boolean> | boolean;
}

/** Walks a scratch folder. Ignored folders are entered only if the workspace has files in them. */
export async function walkScratch(root: string, walk: ScratchWalk): Promise<void> {
  await walkFolder(root, '', await IgnoreRules.forFolder(root), undefined, walk);
}

async function walkFolder(
  root: string,
  folder: string,
  rules: IgnoreRules,
  above: OutsideReason | undefined,
  walk: ScratchWalk,
): Promise<void> {
  await makeAccessible(join(root, folder));
  for (const found of await readdir(join(root, folder), { withFileTypes: true })) {
    const path = joinPath(folder, found.name);
    const isFolder = found.isDirectory();
    // Most files are known, and matching their names takes longer than everything else.
    const isKnown = !isFolder && walk.workspace.files.has(path);
    const outside = isKnown ? undefined : (above ?? outsideReason(path, found.name, isFolder, rules));
    const kind = isFolder ? 'folder' : found.isFile() ? 'file' : found.isSymbolicLink() ? 'link' : 'special';
    const isEntered = await walk.visit({ path, kind, ...(outside === undefined ? {} : { outside }) });
    if (!isFolder || !isEntered || (outside !== undefined && !walk.workspace.folders.has(path))) continue;
    await walkFolder(root, path, await rules.enter(join(root, path), path), outside, walk);
  }
}

function outsideReason(path: string, name: string, isFolder: boolean, rules: IgnoreRules): OutsideReason | undefined {
  if (isExcludedPath(path, { isFolder })) return 'excluded';
  return (isFolder && toolFolders.has(name)) || rules.ignores(path, isFolder) ? 'ignored' : undefined;
}

const ownerAccess = 0o700;

/** A command may have taken the permission to list a folder or to delete from it. */
async function makeAccessible(folder: string): Promise<void> {
  const { mode } = await lstat(folder);
  if ((mode & ownerAccess) !== ownerAccess) await chmod(folder, (mode & 0o7777) | ownerAccess);
}

/** Makes a path a folder, whatever it was before. A link in its place would lead out of the scratch folder. */
export async function ensureFolder(path: string): Promise<void> {
  const found = await undefinedIfMissing(lstat(path));
  if (found?.isDirectory() === true) return makeAccessible(path);
  if (found !== undefined) await rm(path, { force: true });
  await mkdir(path, { mode: 0o755 });
}

/** Deletes a file, a link or a folder, also one without permissions. Never follows a link. */
export async function removeEntry(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch {
    await makeAllAccessible(path);
    await rm(path, { recursive: true, force: true });
  }
}

async function makeAllAccessible(path: string): Promise<void> {
  const found = await undefinedIfMissing(lstat(path));
  if (found?.isDirectory() !== true) return;
  await makeAccessible(path);
  for (const name of await readdir(path)) await makeAllAccessible(join(path, name));
}
