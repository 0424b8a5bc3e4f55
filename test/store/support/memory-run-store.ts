import {
  BlobCorruptError,
  BlobMissingError,
  type BlobRef,
  type JournalEntry,
  type RunStore,
  type StoreCheck,
} from '../../../domain/store';
import { sha256 } from '../../../store/blobs';

/** A run's blobs in memory, with a log of reads, for tests that need thousands of them. */
export class MemoryRunStore implements RunStore {
  readonly blobs = new Map<string, Uint8Array>();
  readonly reads: string[] = [];
  puts = 0;
  private readonly journal = new Map<string, Uint8Array>();

  constructor(readonly runId = 'r1') {}

  put(bytes: Uint8Array, mediaType: string): Promise<BlobRef> {
    const hash = sha256(bytes);
    this.blobs.set(hash, Uint8Array.from(bytes));
    this.puts += 1;
    return Promise.resolve({ hash, bytes: bytes.byteLength, mediaType });
  }

  get(ref: BlobRef, neededBy: string): Promise<Uint8Array> {
    this.reads.push(ref.hash);
    const bytes = this.blobs.get(ref.hash);
    if (!bytes) return Promise.reject(new BlobMissingError(this.runId, ref.hash, neededBy));
    if (bytes.byteLength === ref.bytes && sha256(bytes) === ref.hash) return Promise.resolve(bytes);
    return Promise.reject(new BlobCorruptError(this.runId, ref.hash, neededBy, 'its bytes changed'));
  }

  has(ref: BlobRef): Promise<boolean> {
    return Promise.resolve(this.blobs.has(ref.hash));
  }

  putIfAbsent(key: string, bytes: Uint8Array): Promise<Uint8Array> {
    const winner = this.journal.get(key) ?? bytes;
    this.journal.set(key, winner);
    return Promise.resolve(winner);
  }

  find(key: string): Promise<Uint8Array | undefined> {
    return Promise.resolve(this.journal.get(key));
  }

  flush(): Promise<void> {
    return Promise.resolve();
  }

  async *entries(kind: string): AsyncGenerator<JournalEntry> {
    for (const [key, bytes] of await Promise.resolve(this.journal))
      if (key.startsWith(`${kind}/`)) yield { key, bytes };
  }

  verify(): Promise<StoreCheck> {
    const damaged = [...this.blobs].filter(([hash, bytes]) => sha256(bytes) !== hash).map(([hash]) => hash);
    return Promise.resolve({ blobs: this.blobs.size, damaged });
  }
}
