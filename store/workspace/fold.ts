import type { BlobRef } from '../../domain/store';
import {
  binaryMediaType,
  buildOverlay,
  type FileEntry,
  type FileState,
  folderRef,
  joinPath,
  type Overlay,
  type OverlayNode,
  PathClashError,
  type Tree,
  type TreeEntry,
} from '../../domain/workspace';
import { type TreeCache, Trees, type TreeStore } from './trees';

/**
 * Applies the changes to a root and returns the new root. Rewrites only the folders on the changed paths. Does not
 * check expected hashes, because `mergeChanges` has already decided which changes are allowed.
 */
export async function foldChanges(
  store: TreeStore,
  root: BlobRef,
  changes: readonly FileState[],
  cache?: TreeCache,
): Promise<BlobRef> {
  if (changes.length === 0) return root;
  const trees = new Trees(store, cache);
  return writeFolder(trees, await mergeFolder(trees, root, buildOverlay(changes)));
}

async function writeFolder(trees: Trees, folder: MergedFolder): Promise<BlobRef> {
  const entries: TreeEntry[] = [];
  for (const entry of folder.values()) entries.push(await writeEntry(trees, entry));
  return trees.write(entries);
}

async function writeEntry(trees: Trees, entry: MergedEntry): Promise<TreeEntry> {
  if (entry.kind !== 'changedFolder') return entry;
  const { hash, bytes } = await writeFolder(trees, entry.entries);
  return { name: entry.name, kind: 'folder', hash, bytes };
}

/** A folder with changes applied. Subfolders without changes are entries of the stored tree and are not read. */
export type MergedFolder = ReadonlyMap<string, MergedEntry>;
/** An entry of a merged folder. */
export type MergedEntry = TreeEntry | ChangedFolder;

/** A subfolder that contains changes. */
interface ChangedFolder {
  readonly name: string;
  readonly kind: 'changedFolder';
  readonly entries: MergedFolder;
}

/**
 * Entries by name of the trees in memory. Without this, reading every file of a large folder would take time in
 * proportion to the square of its size.
 */
const indexes = new WeakMap<Tree, MergedFolder>();

function byName(tree: Tree): MergedFolder {
  const known = indexes.get(tree);
  if (known !== undefined) return known;
  const index = new Map(tree.entries.map((entry) => [entry.name, entry]));
  indexes.set(tree, index);
  return index;
}

/** Applies the changes to a folder, reading only the trees on the changed paths. */
export async function mergeFolder(
  trees: Trees,
  tree: BlobRef | undefined,
  overlay: Overlay,
  path = '',
): Promise<MergedFolder> {
  const found = tree === undefined ? new Map<string, MergedEntry>() : byName(await trees.read(tree, path));
  if (overlay.size === 0) return found;
  const merged = new Map(found);
  for (const [name, node] of overlay) {
    const entry = await mergeEntry(trees, merged.get(name), node, { name, path: joinPath(path, name) });
    if (entry === undefined) merged.delete(name);
    else merged.set(name, entry);
  }
  return merged;
}

async function mergeEntry(
  trees: Trees,
  before: MergedEntry | undefined,
  { file, below }: OverlayNode,
  { name, path }: { readonly name: string; readonly path: string },
): Promise<MergedEntry | undefined> {
  const isFolder = before?.kind === 'folder';
  const asFile = mergeFile(isFolder ? undefined : before, file, name);
  const asFolder =
    below === undefined && (file === undefined || !isFolder)
      ? undefined
      : await mergeFolder(trees, isFolder ? folderRef(before) : undefined, below ?? new Map(), path);
  // A folder exists as long as it has entries.
  if (asFolder === undefined || asFolder.size === 0) return asFile;
  if (asFile !== undefined) throw new PathClashError(path);
  return { name, kind: 'changedFolder', entries: asFolder };
}

function mergeFile(
  before: MergedEntry | undefined,
  change: FileState | undefined,
  name: string,
): MergedEntry | undefined {
  if (change === undefined) return before;
  if (change.newHash === null) return undefined;
  return toFileEntry(name, change, change.newHash, before);
}

function toFileEntry(name: string, change: FileState, hash: string, before: MergedEntry | undefined): FileEntry {
  const executable = change.executable ?? (before?.kind === 'file' && before.executable === true);
  return {
    name,
    kind: 'file',
    hash,
    bytes: change.bytes,
    ...(change.mediaType === binaryMediaType ? { binary: true } : {}),
    ...(executable ? { executable: true } : {}),
  };
}
