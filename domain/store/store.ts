import type { BlobRef } from './blob-ref';

/**
 * Content-addressed blobs and a small journal, grouped by run so that a run can be deleted whole.
 * Every method may throw a `StoreError` (domain/store/errors.ts), and nothing else that is expected; a run id or a hash that
 * is none is the caller's mistake, and `Input.Invalid`.
 */
export interface Store {
  /** Made once, when the store is created. A run remembers it, so that a worker with another store is told apart from a lost blob. */
  readonly id: string;
  forRun(runId: string): RunStore;
  listRuns(): Promise<readonly StoredRun[]>;
  /** Deletes everything of that run; no error when there is nothing. */
  deleteRun(runId: string): Promise<void>;
}

export interface RunStore {
  readonly runId: string;
  /** Idempotent: the same bytes give the same ref, whoever writes them first. */
  put(bytes: Uint8Array, mediaType: string): Promise<BlobRef>;
  /** `neededBy` says in a few words what wanted it ("transcript of turn 12"): it is named when the blob is missing or corrupt. */
  get(ref: BlobRef, neededBy: string): Promise<Uint8Array>;
  has(ref: BlobRef): Promise<boolean>;
  /** The first writer of a key wins; every writer gets the winner's bytes back. */
  putIfAbsent(key: string, bytes: Uint8Array): Promise<Uint8Array>;
  /** What `putIfAbsent` stored under that key, if anything. */
  find(key: string): Promise<Uint8Array | undefined>;
  /** Reads every blob of the run and compares it with its name. */
  verify(): Promise<StoreVerdict>;
}

export interface StoreVerdict {
  readonly blobs: number;
  /** Hashes of blobs whose bytes are not those that were stored. */
  readonly damaged: readonly string[];
}

export interface StoredRun {
  readonly runId: string;
  readonly bytes: number;
  readonly files: number;
  /** Milliseconds since the epoch of the last write. */
  readonly lastWrittenAt: number;
}
