import { z } from 'zod';
import { DomainError, type FailureType } from '../kernel';

/**
 * The port for stored data: content-addressed blobs and a small journal of keys, both grouped by run so that a run can
 * be deleted as a whole. Activities and clients call it, workflows never do. The default implementation keeps files;
 * `BATON_STORE` chooses another one. A new driver implements the smaller ports in `store/driver/ports.ts`.
 *
 * Rules for implementations: what a write returned for must be readable by every worker, even after a crash. A write
 * with the option `later` may be lost if the machine crashes before `flush` returns. Methods may be called concurrently,
 * and repeated, because activities are retried. Throw a `StoreError` for every expected failure. An invalid run id or
 * hash is the caller's error and throws `Input.Invalid`.
 *
 * @example
 * ```ts
 * // A store in memory, for tests with one worker.
 * import { createHash } from 'node:crypto';
 * import { BlobMissingError, type RunStore, type Store } from 'baton-agents/worker';
 *
 * function memoryRun(runId: string): RunStore {
 *   const blobs = new Map<string, Uint8Array>();
 *   const journal = new Map<string, Uint8Array>();
 *   return {
 *     runId,
 *     async put(bytes, mediaType) {
 *       const hash = createHash('sha256').update(bytes).digest('hex');
 *       blobs.set(hash, bytes);
 *       return { hash, bytes: bytes.length, mediaType };
 *     },
 *     async get({ hash }, neededBy) {
 *       const bytes = blobs.get(hash);
 *       if (bytes === undefined) throw new BlobMissingError(runId, hash, neededBy);
 *       return bytes;
 *     },
 *     has: async ({ hash }) => blobs.has(hash),
 *     async putIfAbsent(key, bytes) {
 *       const entry = journal.get(key) ?? bytes;
 *       journal.set(key, entry);
 *       return entry;
 *     },
 *     find: async (key) => journal.get(key),
 *     flush: async () => undefined,
 *     async *entries(kind) {
 *       for (const [key, bytes] of journal) if (key.startsWith(`${kind}/`)) yield { key, bytes };
 *     },
 *     verify: async () => ({ blobs: blobs.size, damaged: [] }),
 *   };
 * }
 *
 * export function memoryStore(): Store {
 *   const runs = new Map<string, RunStore>();
 *   return {
 *     id: 'memory',
 *     checkWritable: async () => undefined,
 *     forRun(runId) {
 *       const run = runs.get(runId) ?? memoryRun(runId);
 *       runs.set(runId, run);
 *       return run;
 *     },
 *     listRuns: async () => [...runs.keys()].map((runId) => ({ runId, bytes: 0, files: 0, lastWrittenAt: Date.now() })),
 *     async deleteRun(runId, confirm = async () => true) {
 *       return (await confirm()) && runs.delete(runId);
 *     },
 *   };
 * }
 * ```
 */
export interface Store {
  /**
   * Created once, together with the store. A run records it, so that an activity on a worker with a different store
   * fails with `Store.Other` and not as if the blob were lost.
   */
  readonly id: string;
  /** Whether everything is encrypted before it is stored. Omitted if the implementation does not say. */
  readonly isEncrypted?: boolean;
  /** Returns the part of the store that belongs to one run. Must not fail when the run has no data yet. */
  forRun(runId: string): RunStore;
  /**
   * Throws a `StoreError` if nothing can be written at the moment. Called before every model call and before every tool
   * that must not run twice, so it must be cheap. What it checks may be a second old.
   */
  checkWritable(): Promise<void>;
  /** Lists all runs that have data in the store. */
  listRuns(): Promise<readonly StoredRun[]>;
  /**
   * Deletes all data of a run. Returns whether there was any and it is gone. Before deleting, calls `confirm`, and keeps
   * everything if that returns false. From before this call until the data is gone, writes to the run must fail with
   * `Store.Unavailable`, so that a run that starts in the meantime does not lose what it has written.
   */
  deleteRun(runId: string, confirm?: () => Promise<boolean>): Promise<boolean>;
  /** Closes connections, if the store has any. It can't be used afterwards. */
  close?(): Promise<void>;
}

/** The part of a store that belongs to one run. */
export interface RunStore {
  readonly runId: string;
  /** Stores a blob under the SHA-256 of its bytes. Idempotent: equal bytes always return an equal ref. */
  put(bytes: Uint8Array, mediaType: string, options?: WriteOptions): Promise<BlobRef>;
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
  putIfAbsent(key: string, bytes: Uint8Array, options?: WriteOptions): Promise<Uint8Array>;
  /**
   * Returns when everything that this object wrote with `later`, or found, would survive a crash of the machine. What it
   * found counts, because whoever wrote it may have died before its own flush. Call it before anything outside the store
   * depends on what was written. A store whose writes are durable at once has nothing to do here.
   */
  flush(): Promise<void>;
  /** Prepares for writes with `later` that will follow soon. A hint, which never fails. Optional. */
  expectWrites?(count: number): void;
  /** Returns the journal entry of a key; undefined when `putIfAbsent` was never called for it. */
  find(key: string): Promise<Uint8Array | undefined>;
  /**
   * Returns the journal entries of one kind, which is the part of their keys before the first `/`, in no particular order.
   * Throws `BlobCorruptError` at an entry that is damaged. Entries with the keys `known` need not be returned: a caller
   * that looks again and again passes what it has.
   */
  entries(kind: string, known?: ReadonlySet<string>): AsyncIterable<JournalEntry>;
  /** Reads every blob of the run and compares its content with its hash. Returns damaged blobs instead of throwing. */
  verify(): Promise<StoreCheck>;
  /**
   * Returns everything that the run has stored, for copies: first all blobs, then all journal entries. Throws
   * `BlobCorruptError` at what is damaged. Optional: without it, a run can't be copied to another store.
   */
  everything?(): AsyncIterable<StoredContent>;
  /**
   * Small values that are overwritten several times a second and may be lost at any time, such as what a model is saying.
   * Optional: without them, people see a reply when it is complete.
   */
  readonly volatile?: VolatileValues;
}

/** Values that are overwritten often. They need not survive anything, and nothing that an agent does depends on them. */
export interface VolatileValues {
  /** Replaces a value. A reader gets the old value or the new one, never a part. Must not wait for a sync. */
  write(name: string, bytes: Uint8Array): Promise<void>;
  /** Returns a value; undefined if there is none. */
  read(name: string): Promise<Uint8Array | undefined>;
  /** Removes a value. Does nothing if there is none. */
  remove(name: string): Promise<void>;
}

/** Options of a write. */
export interface WriteOptions {
  /**
   * Returns when every worker can read what was written, and the death of this process can't lose it. A crash of the
   * machine can, until `flush` has returned. Default: returns only when that can't lose it either.
   */
  readonly later?: true;
}

/** An entry of a run's journal. */
export interface JournalEntry {
  readonly key: string;
  readonly bytes: Uint8Array;
}

/** A blob, or a journal entry, which has a key. */
export interface StoredContent {
  readonly key?: string;
  readonly bytes: Uint8Array;
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

/** The run, and the store, that an activity reads and writes. */
export const storeLocationSchema = z.object({ runId: z.string(), storeId: z.string() });
export type StoreLocation = Readonly<z.infer<typeof storeLocationSchema>>;

/** The address of a blob in the store. Workflows pass large values only as refs. */
export const blobRefSchema = z.strictObject({
  hash: z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in lower-case hex'),
  /** Length of the blob in bytes. */
  bytes: z.int().nonnegative(),
  mediaType: z.string().min(1).max(100),
});
/** The address of a blob in the store: the SHA-256 of its bytes, and its size and media type. */
export type BlobRef = Readonly<z.infer<typeof blobRefSchema>>;

/** A blob whose media type is known from where it is used. */
export const shortRefSchema = blobRefSchema.omit({ mediaType: true });

/** Media types of the texts that Baton stores. */
export const mediaTypes = {
  markdown: 'text/markdown',
  text: 'text/plain',
  json: 'application/json',
  jsonLines: 'application/x-ndjson',
} as const;

/** A text that is passed inline if it is short enough for workflow history, and as a ref otherwise. */
export const spilledTextSchema = z.union([
  z.strictObject({ text: z.string() }),
  z.strictObject({ ref: blobRefSchema }),
]);
export type SpilledText = Readonly<z.infer<typeof spilledTextSchema>>;

/** Maximum bytes of UTF-8 of an inline text. A reply may contain dozens of texts, and all must fit into one payload. */
export const inlineTextBytes = 256;

/**
 * Maximum bytes of UTF-8 of all results in one link of a transcript, and of one result in the record of a turn, that are
 * inline. Neither is part of history. A larger text is a blob, which costs a file.
 */
export const inlineResultBytes = 1024;

/** Maximum size of an activity's argument or result, in bytes of JSON. */
export const maxPayloadBytes = 32 * 1024;

/** Base class of all failures that a store reports. */
export abstract class StoreError extends DomainError {}

/** A blob that the run refers to is not in the store. */
export class BlobMissingError extends StoreError {
  readonly type = 'Store.BlobMissing';

  constructor(runId: string, hash: string, neededBy: string) {
    super(`Run "${runId}" has no blob ${hash}, needed by: ${neededBy}`, { runId, hash, neededBy });
  }
}

/** The content of a blob does not match its hash. `found` describes what is there instead. */
export class BlobCorruptError extends StoreError {
  readonly type = 'Store.BlobCorrupt';

  constructor(runId: string, hash: string, neededBy: string, found: string) {
    super(`Blob ${hash} of run "${runId}", needed by ${neededBy}, is damaged: ${found}`, {
      runId,
      hash,
      neededBy,
      found,
    });
  }
}

/** The disk of the store is full. */
export class StoreFullError extends StoreError {
  readonly type = 'Store.Full';

  constructor(location: string) {
    super(`No space left in the store at ${location}`, { location });
  }
}

/** The store cannot be read or written, or is not a store. `reason` includes the operating system's message. */
export class StoreUnavailableError extends StoreError {
  readonly type = 'Store.Unavailable';

  constructor(location: string, reason: string) {
    super(`The store at ${location} cannot be used: ${reason}`, { location, reason });
  }
}

/** The worker uses a different store than the one that holds the run's data. */
export class WrongStoreError extends StoreError {
  readonly type = 'Store.Other';

  constructor(expected: string, found: string) {
    super(`The data of this run is in store ${expected}, but this worker uses store ${found}`, { expected, found });
  }
}

/**
 * Whether the store as a whole can't be used at the moment. That ends by itself or by someone's repair, so the step is
 * repeated until it does. A missing or damaged blob is not such trouble: another attempt would find the same.
 */
export function isStoreTrouble(error: unknown): boolean {
  return error instanceof StoreError && troubles.has(error.type);
}

/** A missing key is one of them: some worker will have it. */
const troubles: ReadonlySet<string> = new Set<FailureType>([
  'Store.Full',
  'Store.Unavailable',
  'Store.Other',
  'Encryption.KeyMissing',
]);
