import { canonicalJson } from '../../domain/kernel';
import type { BlobRef } from '../../domain/store';
import { byCodeUnit, folderRef, joinPath, type TreeEntry } from '../../domain/workspace';
import { type TreeCache, Trees, type TreeStore } from './trees';

/** A file or a link. Folders differ only through their entries. */
type TreeLeaf = Exclude<TreeEntry, { kind: 'folder' }>;

/** One difference between two trees. `before` is absent for an added entry, `after` for a deleted one. */
export interface TreeChange {
  readonly path: string;
  readonly before?: TreeLeaf;
  readonly after?: TreeLeaf;
}

/** Compares two roots and returns the differences sorted by path. Does not read folders that are equal. */
export async function diffTrees(
  store: TreeStore,
  before: BlobRef,
  after: BlobRef,
  cache?: TreeCache,
): Promise<TreeChange[]> {
  const found: TreeChange[] = [];
  await compareFolders(new Trees(store, cache), '', before, after, found);
  return found.sort((a, b) => byCodeUnit(a.path, b.path));
}

async function compareFolders(
  trees: Trees,
  path: string,
  before: BlobRef | undefined,
  after: BlobRef | undefined,
  found: TreeChange[],
): Promise<void> {
  if (before?.hash === after?.hash) return;
  const [old, now] = [await entriesOf(trees, before, path), await entriesOf(trees, after, path)];
  for (const name of new Set([...old.keys(), ...now.keys()])) {
    await compareEntries(trees, joinPath(path, name), old.get(name), now.get(name), found);
  }
}

async function compareEntries(
  trees: Trees,
  path: string,
  before: TreeEntry | undefined,
  after: TreeEntry | undefined,
  found: TreeChange[],
): Promise<void> {
  if (before?.kind === 'folder' || after?.kind === 'folder') {
    await compareFolders(trees, path, treeOf(before), treeOf(after), found);
  }
  const old = leaf(before);
  const now = leaf(after);
  if (old === undefined && now === undefined) return;
  if (old !== undefined && now !== undefined && canonicalJson(old) === canonicalJson(now)) return;
  found.push({ path, ...(old === undefined ? {} : { before: old }), ...(now === undefined ? {} : { after: now }) });
}

async function entriesOf(trees: Trees, ref: BlobRef | undefined, path: string): Promise<Map<string, TreeEntry>> {
  const entries = ref === undefined ? [] : (await trees.read(ref, path)).entries;
  return new Map(entries.map((entry) => [entry.name, entry]));
}

function treeOf(entry: TreeEntry | undefined): BlobRef | undefined {
  return entry?.kind === 'folder' ? folderRef(entry) : undefined;
}

function leaf(entry: TreeEntry | undefined): TreeLeaf | undefined {
  return entry?.kind === 'folder' ? undefined : entry;
}
