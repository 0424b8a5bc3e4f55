import type { LRUCache } from 'lru-cache';
import type { BlobRef, RunStore, Store, VolatileValues, WriteOptions } from '../domain/store';
import { idleCache } from '../store/idle-entries';

/** Maximum bytes of the cache, and of one entry in it. */
const keptBytes = 32 * 1024 * 1024;
const largestBytes = 1024 * 1024;
/** Maximum bytes of contents that runs share a copy of, and of one of them. */
const sharedBytes = 4 * 1024 * 1024;
const largestShared = 128 * 1024;

interface Kept {
  /** What runs have read or written. */
  readonly entries: LRUCache<string, Uint8Array>;
  /** Contents of recent blobs by hash. Many runs have the same tools and prompts, and need only one copy of them. */
  readonly contents: LRUCache<string, Uint8Array>;
}

/**
 * Caches what this worker recently read or wrote: prompts and tools are read in every turn, a parent's for every
 * delegation. Entries never go stale, because blobs are addressed by hash and the first writer of a journal key wins.
 * Writes always reach the store; misses are not cached. A journal entry is cached for others only when it is durable:
 * whoever finds it here does not flush it.
 */
export function cachingStore(store: Store): Store {
  const sizeCalculation = (bytes: Uint8Array): number => bytes.byteLength + 200;
  const kept: Kept = {
    entries: idleCache({ maxSize: keptBytes, maxEntrySize: largestBytes, sizeCalculation }),
    contents: idleCache({ maxSize: sharedBytes, maxEntrySize: largestShared, sizeCalculation }),
  };
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
    private readonly kept: Kept,
  ) {
    this.runId = store.runId;
    if (store.volatile !== undefined) this.volatile = store.volatile;
  }

  async put(bytes: Uint8Array, mediaType: string, options?: WriteOptions): Promise<BlobRef> {
    const ref = await this.store.put(bytes, mediaType, options);
    // Copied, because the caller may reuse the buffer.
    this.keepBlob(ref, () => Uint8Array.from(bytes));
    return ref;
  }

  async get(ref: BlobRef, neededBy: string): Promise<Uint8Array> {
    const kept = this.kept.entries.get(this.blob(ref.hash));
    // A ref with a different size is wrong. Let the store report it.
    if (kept?.byteLength === ref.bytes) return kept;
    const bytes = await this.store.get(ref, neededBy);
    this.keepBlob(ref, () => bytes);
    return bytes;
  }

  has(ref: BlobRef): Promise<boolean> {
    return this.store.has(ref);
  }

  async putIfAbsent(key: string, bytes: Uint8Array, options?: WriteOptions): Promise<Uint8Array> {
    const winner = await this.store.putIfAbsent(key, bytes, options);
    const entry = Uint8Array.from(winner);
    if (options?.later === true) this.unflushed.set(this.journal(key), entry);
    else this.kept.entries.set(this.journal(key), entry);
    return winner;
  }

  async find(key: string): Promise<Uint8Array | undefined> {
    const known = this.journal(key);
    const kept = this.unflushed.get(known) ?? this.kept.entries.get(known);
    if (kept !== undefined) return kept;
    const bytes = await this.store.find(key);
    if (bytes !== undefined) this.unflushed.set(known, bytes);
    return bytes;
  }

  async flush(): Promise<void> {
    const flushed = [...this.unflushed];
    await this.store.flush();
    for (const [key, bytes] of flushed) {
      this.kept.entries.set(key, bytes);
      this.unflushed.delete(key);
    }
  }

  expectWrites(count: number): void {
    this.store.expectWrites?.(count);
  }

  entries(...wanted: Parameters<RunStore['entries']>): ReturnType<RunStore['entries']> {
    return this.store.entries(...wanted);
  }

  verify(): ReturnType<RunStore['verify']> {
    return this.store.verify();
  }

  /** Keeps a blob for this run. Another run may have the same content already. */
  private keepBlob({ hash, bytes }: BlobRef, content: () => Uint8Array): void {
    const known = this.kept.contents.get(hash);
    const kept = known?.byteLength === bytes ? known : content();
    this.kept.contents.set(hash, kept);
    this.kept.entries.set(this.blob(hash), kept);
  }

  // The hash comes first because it has a fixed length: no run id can make two keys alike.
  private blob(hash: string): string {
    return `blob ${hash} ${this.runId}`;
  }

  private journal(key: string): string {
    return `journal ${this.runId.length} ${this.runId} ${key}`;
  }
}
