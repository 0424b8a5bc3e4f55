import type { BlobRef } from './blob-ref';

/**
 * The port for stored data: content-addressed blobs and a small journal of keys, both grouped by run so that a run can
 * be deleted as a whole. Activities and clients call it, workflows never do. The default implementation keeps files
 * in `BATON_STORE_DIR`.
 *
 * Rules for implementations: what a write returned for must be readable by every worker, even after a crash. Methods
 * may be called concurrently, and repeated, because activities are retried. Throw a `StoreError`
 * (domain/store/errors.ts) for every expected failure. An invalid run id or hash is the caller's error and throws
 * `Input.Invalid`.
 */
export interface Store {
  /**
   * Created once, together with the store. A run records it, so that an activity on a worker with a different store
   * fails with `Store.Other` and not as if the blob were lost.
   */
  readonly id: string;
  /** Returns the part of the store that belongs to one run. Must not fail when the run has no data yet. */
  forRun(runId: string): RunStore;
  /** Lists all runs that have data in the store. */
  listRuns(): Promise<readonly StoredRun[]>;
  /** Deletes all data of a run. Succeeds when there is none. */
  deleteRun(runId: string): Promise<void>;
}

/** The part of a store that belongs to one run. */
export interface RunStore {
  readonly runId: string;
  /** Stores a blob under the SHA-256 of its bytes. Idempotent: equal bytes always return an equal ref. */
  put(bytes: Uint8Array, mediaType: string): Promise<BlobRef>;
  /**
   * Reads a blob and checks it against its hash. Throws `BlobMissingError` or `BlobCorruptError`, which quote
   * `neededBy`, a short description of the purpose such as "transcript of turn 12".
   */
  get(ref: BlobRef, neededBy: string): Promise<Uint8Array>;
  /** Returns whether the blob exists. Does not read or check its content. */
  has(ref: BlobRef): Promise<boolean>;
  /**
   * Writes a journal entry unless the key already has one. The first writer wins; every caller gets the winner's bytes.
   */
  putIfAbsent(key: string, bytes: Uint8Array): Promise<Uint8Array>;
  /** Returns the journal entry of a key; undefined when `putIfAbsent` was never called for it. */
  find(key: string): Promise<Uint8Array | undefined>;
  /** Reads every blob of the run and compares its content with its hash. Returns damaged blobs instead of throwing. */
  verify(): Promise<StoreCheck>;
}

/** Result of `RunStore.verify`. */
export interface StoreCheck {
  /** Number of blobs that were checked. */
  readonly blobs: number;
  /** Hashes of blobs whose content does not match. */
  readonly damaged: readonly string[];
}

/** Size and age of one run's data. */
export interface StoredRun {
  readonly runId: string;
  readonly bytes: number;
  readonly files: number;
  /** Time of the last write, in milliseconds since the epoch. */
  readonly lastWrittenAt: number;
}
