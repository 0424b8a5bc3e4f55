import { LRUCache } from 'lru-cache';
import type { BlobRef } from '../domain/store/blob-ref';
import type { RunStore, Store } from '../domain/store/store';

const keptBytes = 32 * 1024 * 1024;
const largestBytes = 1024 * 1024;

/**
 * The store, with what this worker has read or written lately at hand: an agent's prompt and tools are asked for in every
 * turn, its parent's for every delegation. Nothing goes stale, since contents go by their hash and the first writer of a
 * key wins. Writes always reach the store; what was not found is looked for again.
 */
export function recalling(store: Store): Store {
  const kept = new LRUCache<string, Uint8Array>({
    maxSize: keptBytes,
    maxEntrySize: largestBytes,
    sizeCalculation: (bytes) => bytes.byteLength + 200,
  });
  return {
    id: store.id,
    listRuns: () => store.listRuns(),
    deleteRun: (runId) => store.deleteRun(runId),
    forRun: (runId) => new RecallingRunStore(store.forRun(runId), kept),
  };
}

class RecallingRunStore implements RunStore {
  readonly runId: string;

  constructor(
    private readonly store: RunStore,
    private readonly kept: LRUCache<string, Uint8Array>,
  ) {
    this.runId = store.runId;
  }

  async put(bytes: Uint8Array, mediaType: string): Promise<BlobRef> {
    const ref = await this.store.put(bytes, mediaType);
    // A copy: whoever wrote it may go on using the buffer.
    this.kept.set(this.blob(ref.hash), Uint8Array.from(bytes));
    return ref;
  }

  async get(ref: BlobRef, neededBy: string): Promise<Uint8Array> {
    const kept = this.kept.get(this.blob(ref.hash));
    // A ref with another size is wrong, and the store is the one to say so.
    if (kept?.byteLength === ref.bytes) return kept;
    const bytes = await this.store.get(ref, neededBy);
    this.kept.set(this.blob(ref.hash), bytes);
    return bytes;
  }

  has(ref: BlobRef): Promise<boolean> {
    return this.store.has(ref);
  }

  async putIfAbsent(key: string, bytes: Uint8Array): Promise<Uint8Array> {
    const winner = await this.store.putIfAbsent(key, bytes);
    this.kept.set(this.journal(key), Uint8Array.from(winner));
    return winner;
  }

  async find(key: string): Promise<Uint8Array | undefined> {
    const kept = this.kept.get(this.journal(key));
    if (kept !== undefined) return kept;
    const bytes = await this.store.find(key);
    if (bytes !== undefined) this.kept.set(this.journal(key), bytes);
    return bytes;
  }

  verify(): ReturnType<RunStore['verify']> {
    return this.store.verify();
  }

  // The hash comes first because it has a fixed length: no run id can make two keys alike.
  private blob(hash: string): string {
    return `blob ${hash} ${this.runId}`;
  }

  private journal(key: string): string {
    return `journal ${this.runId.length} ${this.runId} ${key}`;
  }
}
