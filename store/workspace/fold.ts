import type { BlobRef } from '../../domain/store/blob-ref';
import type { FileState } from '../../domain/workspace/changes';
import { buildOverlay } from '../../domain/workspace/overlay';
import type { TreeEntry } from '../../domain/workspace/file-tree';
import { mergeFolder, type MergedEntry, type MergedFolder } from './merged-folder';
import { Trees, type TreeCache, type TreeStore } from './trees';

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
