import type { BlobRef } from '../../domain/store';
import {
  buildOverlay,
  byCodeUnit,
  contentRef,
  type FileState,
  folderRef,
  joinPath,
  NotInWorkspaceError,
  type ResolvedPath,
  type TreeEntry,
  type WorkspaceEntry,
  type WorkspaceView,
} from '../../domain/workspace';
import { growingCache } from '../../store/growing-cache';
import { type MergedEntry, type MergedFolder, mergeFolder } from '../../store/workspace/fold';
import { type TreeCache, Trees, type TreeStore } from '../../store/workspace/trees';

/** A version of the workspace: a stored root, and the changes made since. */
export interface WorkspaceVersion {
  readonly root: BlobRef;
  /** Changes that are not folded into the root yet. */
  readonly changes: readonly FileState[];
}

/** Opens a workspace at this state. Files are read from the store on demand. */
export function openWorkspace(store: TreeStore, state: WorkspaceVersion, cache?: TreeCache): WorkspaceView {
  return new StoredWorkspace(store, state.root, state.changes, cache);
}

/** Number and bytes of files, and the number of files that are listed without content. */
interface Size {
  readonly files: number;
  readonly bytes: number;
  readonly unread: number;
}

/** Sizes of folders by the hash of their tree, which is the size of all files in them. */
const folderSizes = growingCache<Size>(100_000);

/** Counts the files that an agent sees, and their bytes. Links and folders don't count. */
export async function workspaceSize(store: TreeStore, state: WorkspaceVersion, cache: TreeCache): Promise<Size> {
  const folded = openWorkspace(store, { root: state.root, changes: [] }, cache);
  let size = await folderSize(new Trees(store, cache), state.root, '');
  // A later change of a path replaces an earlier one.
  for (const [path, { newHash, bytes }] of new Map(state.changes.map((change) => [change.path, change]))) {
    const before = await folded.stat(path);
    if (before !== undefined) size = add(size, entrySize(before), -1);
    if (newHash !== null) size = add(size, { files: 1, bytes, unread: 0 });
  }
  return size;
}

async function folderSize(trees: Trees, ref: BlobRef, path: string): Promise<Size> {
  const counted = folderSizes.get(ref.hash);
  if (counted !== undefined) return counted;
  let size: Size = { files: 0, bytes: 0, unread: 0 };
  for (const entry of (await trees.read(ref, path)).entries) {
    const isFolder = entry.kind === 'folder';
    const inside = isFolder ? await folderSize(trees, folderRef(entry), joinPath(path, entry.name)) : entrySize(entry);
    size = add(size, inside);
  }
  folderSizes.set(ref.hash, size);
  return size;
}

function entrySize(entry: Exclude<TreeEntry, { kind: 'folder' }> | WorkspaceEntry): Size {
  return {
    files: entry.kind === 'file' ? 1 : 0,
    bytes: entry.kind === 'file' ? entry.bytes : 0,
    unread: entry.kind === 'unread' ? 1 : 0,
  };
}

function add(a: Size, b: Size, sign = 1): Size {
  return { files: a.files + sign * b.files, bytes: a.bytes + sign * b.bytes, unread: a.unread + sign * b.unread };
}

interface Found {
  readonly resolved: ResolvedPath;
  /** The entries, if it is a folder. */
  readonly entries?: MergedFolder;
}

class StoredWorkspace implements WorkspaceView {
  private readonly trees: Trees;
  private top: Promise<MergedFolder> | undefined;

  constructor(
    private readonly store: TreeStore,
    readonly root: BlobRef,
    readonly changes: readonly FileState[],
    cache: TreeCache | undefined,
  ) {
    this.trees = new Trees(store, cache);
  }

  async resolve(path: string): Promise<ResolvedPath> {
    return (await this.find(path)).resolved;
  }

  async stat(path: string): Promise<WorkspaceEntry | undefined> {
    return (await this.resolve(path)).entry;
  }

  async read(path: string): Promise<Uint8Array> {
    const entry = await this.stat(path);
    if (entry === undefined) throw new NotInWorkspaceError(path, 'is not in the workspace');
    if (entry.kind !== 'file') throw new NotInWorkspaceError(path, 'is not a file whose contents are in the workspace');
    return this.store.get(contentRef(entry), `file "${entry.path}" of the workspace`);
  }

  async list(path: string, recursive: boolean): Promise<readonly WorkspaceEntry[]> {
    const entries: WorkspaceEntry[] = [];
    for await (const entry of this.visit(path, recursive)) entries.push(entry);
    return entries;
  }

  walk(path: string): AsyncIterable<WorkspaceEntry> {
    return this.visit(path, true);
  }

  private async *visit(path: string, recursive: boolean): AsyncGenerator<WorkspaceEntry> {
    const { resolved, entries } = await this.find(path);
    if (entries === undefined) throw new NotInWorkspaceError(path, 'is not a folder of the workspace');
    yield* this.below(entries, resolved.path, recursive);
  }

  private async *below(folder: MergedFolder, path: string, recursive: boolean): AsyncGenerator<WorkspaceEntry> {
    for (const entry of [...folder.values()].sort((a, b) => byCodeUnit(a.name, b.name))) {
      const here = joinPath(path, entry.name);
      yield withPath(entry, here);
      const inside = recursive ? await this.enter(entry, here) : undefined;
      if (inside !== undefined) yield* this.below(inside, here, true);
    }
  }

  private async find(path: string): Promise<Found> {
    let here: WorkspaceEntry = { path: '', name: '', kind: 'folder' };
    let entries: MergedFolder | undefined = await this.topFolder();
    const names = path === '' ? [] : path.split('/');
    for (const [index, name] of names.entries()) {
      const rest = names.slice(index).map((part) => part.normalize('NFC'));
      if (entries === undefined) return { resolved: { path: [here.path, ...rest].join('/'), blockedBy: here } };
      const found = lookUp(entries, name);
      if (found === undefined) return { resolved: { path: joinPath(here.path, rest.join('/')) } };
      here = withPath(found, joinPath(here.path, found.name));
      entries = await this.enter(found, here.path);
    }
    return { resolved: { path: here.path, entry: here }, ...(entries === undefined ? {} : { entries }) };
  }

  /** Returns the entries of a folder; undefined when the entry is not a folder. */
  private async enter(entry: MergedEntry, path: string): Promise<MergedFolder | undefined> {
    if (entry.kind === 'changedFolder') return entry.entries;
    if (entry.kind !== 'folder') return undefined;
    return mergeFolder(this.trees, folderRef(entry), new Map(), path);
  }

  private topFolder(): Promise<MergedFolder> {
    this.top ??= mergeFolder(this.trees, this.root, buildOverlay(this.changes));
    return this.top;
  }
}

/** Prefers the exact name, because two files may differ only in their Unicode normalization. */
function lookUp(folder: MergedFolder, name: string): MergedEntry | undefined {
  const exact = folder.get(name);
  if (exact !== undefined) return exact;
  const normal = name.normalize('NFC');
  for (const entry of folder.values()) if (entry.name.normalize('NFC') === normal) return entry;
  return undefined;
}

function withPath(entry: MergedEntry, path: string): WorkspaceEntry {
  if (entry.kind === 'folder' || entry.kind === 'changedFolder') return { path, name: entry.name, kind: 'folder' };
  return { path, ...entry };
}
