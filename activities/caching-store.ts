import { LRUCache } from 'lru-cache';
import type { BlobRef, RunStore, Store, VolatileValues, WriteOptions } from '../domain/store';
import { droppedWhenIdle } from '../store/idle-entries';

/** Maximum bytes of the cache, and of one entry in it. */
const keptBytes = 32 * 1024 * 1024;
const largestBytes = 1024 * 1024;

/**
 * Caches what this worker recently read or wrote: prompts and tools are read in every turn, a parent's for every
 * delegation. Entries never go stale, because blobs are addressed by hash and the first writer of a journal key wins.
 * Writes always reach the store; misses are not cached. A journal entry is cached for others only when it is durable:
 * whoever finds it here does not flush it.
 */
export function cachingStore(store: Store): Store {
  const kept = new LRUCache<string, Uint8Array>({
    maxSize: keptBytes,
    maxEntrySize: largestBytes,
    sizeCalculation: (bytes) => bytes.byteLength + 200,
    ...droppedWhenIdle(),
  });
  return {
    id: store.id,
    checkWritable: () => store.checkWritable(),
    listRuns: () => store.listRuns(),
    deleteRun: (runId, confirm) => store.deleteRun(runId, confirm),
    forRun: (runId) => new RecallingRunStore(store.forRun(runId), kept),
  };
}

class RecallingRunStore implements RunStore {
  readonly runId: string;
  readonly volatile?: VolatileValues;
  /** Journal entries that may not be durable yet. */
  private readonly unflushed = new Map<string, Uint8Array>();

  constructor(
    private readonly store: RunStore,
    private readonly kept: LRUCache<string, Uint8Array>,
  ) {
    this.runId = store.runId;
    if (store.volatile !== undefined) this.volatile = store.volatile;
  }

  async put(bytes: Uint8Array, mediaType: string, options?: WriteOptions): Promise<BlobRef> {
    const ref = await this.store.put(bytes, mediaType, options);
    // Copied, because the caller may reuse the buffer.
    this.kept.set(this.blob(ref.hash), Uint8Array.from(bytes));
    return ref;
  }

  async get(ref: BlobRef, neededBy: string): Promise<Uint8Array> {
    const kept = this.kept.get(this.blob(ref.hash));
    // A ref with a different size is wrong. Let the store report it.
    if (kept?.byteLength === ref.bytes) return kept;
    const bytes = await this.store.get(ref, neededBy);
    this.kept.set(this.blob(ref.hash), bytes);
    return bytes;
  }

  has(ref: BlobRef): Promise<boolean> {
    return this.store.has(ref);
  }

  async putIfAbsent(key: string, bytes: Uint8Array, options?: WriteOptions): Promise<Uint8Array> {
    const winner = await this.store.putIfAbsent(key, bytes, options);
    const entry = Uint8Array.from(winner);
    if (options?.later === true) this.unflushed.set(this.journal(key), entry);
    else this.kept.set(this.journal(key), entry);
    return winner;
  }

  async find(key: string): Promise<Uint8Array | undefined> {
    const known = this.journal(key);
    const kept = this.unflushed.get(known) ?? this.kept.get(known);
    if (kept !== undefined) return kept;
    const bytes = await this.store.find(key);
    if (bytes !== undefined) this.unflushed.set(known, bytes);
    return bytes;
  }

  async flush(): Promise<void> {
    const flushed = [...this.unflushed];
    await this.store.flush();
    for (const [key, bytes] of flushed) {
      this.kept.set(key, bytes);
      this.unflushed.delete(key);
    }
  }

  entries(...wanted: Parameters<RunStore['entries']>): ReturnType<RunStore['entries']> {
    return this.store.entries(...wanted);
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
