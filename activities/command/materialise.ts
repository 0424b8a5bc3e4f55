import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { forEachWithLimit } from '../../domain/kernel';
import type { WorkspaceEntry, WorkspaceView } from '../../domain/workspace';
import type { ContentCache } from './content-cache';
import {
  ensureFolder,
  look,
  type PlacedFile,
  type PlacedFiles,
  removeEntry,
  signatureOf,
  Turns,
  walkScratch,
} from './scratch-folder';

const filesAtATime = 32;

/** The contents of a workspace, listed by kind. */
export interface WorkspaceListing {
  readonly folders: ReadonlySet<string>;
  readonly files: ReadonlyMap<string, Extract<WorkspaceEntry, { kind: 'file' | 'link' }>>;
  /** Files that are too large for the workspace, or could not be read. Commands don't see them. */
  readonly unread: ReadonlySet<string>;
}

/** Reads the list of all files of a workspace. */
export async function listWorkspace(view: WorkspaceView | undefined): Promise<WorkspaceListing> {
  const folders = new Set<string>();
  const files = new Map<string, Extract<WorkspaceEntry, { kind: 'file' | 'link' }>>();
  const unread = new Set<string>();
  for await (const entry of view?.walk('') ?? []) {
    if (entry.kind === 'folder') folders.add(entry.path);
    else if (entry.kind === 'unread') unread.add(entry.path);
    else files.set(entry.path, entry);
  }
  return { folders, files, unread };
}

/** A scratch folder, and what it contains of the workspace. */
export interface ScratchContents {
  readonly work: string;
  readonly placed: PlacedFiles;
  /** Whether commands have run in it. */
  readonly isUsed: boolean;
}

/** Reads the content of a file or the target of a link. */
type ReadEntry = (entry: Extract<WorkspaceEntry, { kind: 'file' | 'link' }>) => Promise<Uint8Array>;

/**
 * Makes the files in a scratch folder those of the workspace. Writes only what differs, and deletes everything else, except
 * for ignored files, which earlier commands left. No process may use the folder meanwhile.
 */
export async function materialise(
  { work, placed, isUsed }: ScratchContents,
  workspace: WorkspaceListing,
  sources: { readonly cache: ContentCache; readonly read: ReadEntry },
  signal: AbortSignal,
): Promise<void> {
  await ensureFolder(work);
  // A folder comes before the folders in it.
  for (const path of workspace.folders) await ensureFolder(join(work, path));
  const turns = new Turns();
  await forEachWithLimit(workspace.files.values(), filesAtATime, async (entry) => {
    signal.throwIfAborted();
    await turns.next();
    await place(work, placed, entry, sources);
  });
  for (const path of placed.keys()) if (!workspace.files.has(path)) placed.delete(path);
  if (isUsed) await removeOthers(work, workspace);
}

async function place(
  work: string,
  placed: PlacedFiles,
  entry: Extract<WorkspaceEntry, { kind: 'file' | 'link' }>,
  { cache, read }: { readonly cache: ContentCache; readonly read: ReadEntry },
): Promise<void> {
  const { path, hash, bytes, kind } = entry;
  const executable = entry.kind === 'file' && entry.executable === true;
  const target = join(work, path);
  const known = placed.get(path);
  const found = look(target);
  if (found !== undefined && isSame(known, { hash, executable, kind }) && known?.signature === signatureOf(found))
    return;
  if (found !== undefined) await removeEntry(target);
  if (kind === 'link') await symlink(Buffer.from(await read(entry)), target);
  else await cache.copyTo(target, { hash, bytes, executable }, () => read(entry));
  const now = look(target);
  if (now !== undefined) placed.set(path, { hash, executable, kind, signature: signatureOf(now) });
}

function isSame(known: PlacedFile | undefined, wanted: Omit<PlacedFile, 'signature'>): boolean {
  return known?.hash === wanted.hash && known.executable === wanted.executable && known.kind === wanted.kind;
}

async function removeOthers(work: string, workspace: WorkspaceListing): Promise<void> {
  const { folders, files } = workspace;
  await walkScratch(work, {
    workspace,
    visit: async ({ path, kind, outside }) => {
      const isOurs = kind === 'folder' ? folders.has(path) : files.has(path);
      if (!isOurs && outside === undefined) await removeEntry(join(work, path));
      return isOurs;
    },
  });
}
