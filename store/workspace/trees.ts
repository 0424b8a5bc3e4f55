import type { LRUCache } from 'lru-cache';
import { BlobCorruptError, type BlobRef, type RunStore } from '../../domain/store';
import { decodeTree, encodeTree, type Tree, type TreeEntry, treeMediaType } from '../../domain/workspace';
import { decodeUtf8 } from '../blobs';
import { idleCache } from '../idle-entries';

/** Caches folders that were recently read. Trees never change, so one cache serves all runs of a process. */
export class TreeCache {
  private readonly trees: LRUCache<string, Tree>;

  /** `maxEntries` is the maximum total of directory entries in the cached trees. Default: 200,000. */
  constructor(maxEntries = 200_000) {
    this.trees = idleCache({ maxSize: maxEntries, sizeCalculation: ({ entries }) => entries.length + 1 });
  }

  get(runId: string, hash: string): Tree | undefined {
    return this.trees.get(`${runId}\0${hash}`);
  }

  set(runId: string, hash: string, tree: Tree): void {
    this.trees.set(`${runId}\0${hash}`, tree);
  }
}

/** The store operations that trees need. */
export type TreeStore = Pick<RunStore, 'runId' | 'get' | 'put'>;

/** Reads and writes the folders of a workspace in a run's store. */
export class Trees {
  constructor(
    private readonly store: TreeStore,
    private readonly cache?: TreeCache,
  ) {}

  async read(ref: BlobRef, path: string): Promise<Tree> {
    const { runId } = this.store;
    const cached = this.cache?.get(runId, ref.hash);
    if (cached !== undefined) return cached;
    const neededBy = `folder "${path === '' ? '.' : path}" of the workspace`;
    const text = decodeUtf8(await this.store.get(ref, neededBy));
    const tree = text === undefined ? undefined : decodeTree(text);
    if (tree === undefined) throw new BlobCorruptError(runId, ref.hash, neededBy, 'it is not a tree');
    this.cache?.set(runId, ref.hash, tree);
    return tree;
  }

  write(entries: Iterable<TreeEntry>): Promise<BlobRef> {
    return this.store.put(Buffer.from(encodeTree(entries), 'utf8'), treeMediaType);
  }
}
