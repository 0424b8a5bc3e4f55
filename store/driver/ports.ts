import type { StoredRun, VolatileValues } from '../../domain/store';

/**
 * What a place for data has to do to become a store: files, a database, an object store. A driver keeps named contents
 * and knows nothing of hashes, keys, JSON or encryption; `driverStore` makes a `Store` of it, which does.
 *
 * A driver throws a `StoreError` for every expected failure, and follows the rules of `Store` about crashes, repeated
 * calls and deletion. Names consist of `a-z`, `0-9`, `-` and `.`, and have at most 100 characters.
 */
export interface StoreDriver {
  readonly id: string;
  /** Where the data is, for messages. Contains no password. */
  readonly location: string;
  /** Throws `Input.Invalid` for an id that can't be kept. */
  forRun(runId: string): RunDriver;
  checkWritable(): Promise<void>;
  listRuns(): Promise<readonly StoredRun[]>;
  deleteRun(runId: string, confirm?: () => Promise<boolean>): Promise<boolean>;
  /** Closes connections. */
  close?(): Promise<void>;
}

/** The data of one run. */
export interface RunDriver {
  readonly blobs: BlobPort;
  readonly journal: JournalPort;
  /** Returns when what was written with `later`, or adopted, would survive a crash of the machine. */
  flush(): Promise<void>;
  /** Called before this many writes with `later`. Omitted if nothing can be prepared for them. */
  expectWrites?(count: number): void;
  readonly volatile?: VolatileValues;
}

/** Immutable contents by name. Whoever writes a name writes the same content. */
export interface BlobPort {
  /** Writes a content. If the name has another one, that is damaged and is replaced. */
  write(name: string, content: Uint8Array, later: boolean): Promise<void>;
  /** Returns what is there, damaged or not; undefined if there is nothing. */
  read(name: string): Promise<Uint8Array | undefined>;
  /** Returns the size of a content without reading it; undefined if there is none. */
  size(name: string): Promise<number | undefined>;
  /** Returns the names of all contents, page by page. */
  names(): AsyncIterable<readonly string[]>;
}

/** Contents by name, of which the first one is kept. */
export interface JournalPort {
  /** Writes a content unless the name has one. Returns whether this call did. */
  create(name: string, content: Uint8Array, later: boolean): Promise<boolean>;
  read(name: string): Promise<Uint8Array | undefined>;
  /**
   * Returns all contents whose names begin with `prefix`, without those named `except`. Pages have a bounded size.
   */
  list(prefix: string, except: ReadonlySet<string>): AsyncIterable<readonly NamedContent[]>;
  /**
   * Called with a content that was found and is whole. Whoever wrote it may have died before its flush, so it must be
   * made durable: at once, or with `later` at the next flush. Omitted if the driver's `flush` does that anyway.
   */
  adopt?(name: string, content: Uint8Array, later: boolean): Promise<void>;
  /**
   * Called with the name of a content that is damaged. Returns whether a crash of the machine has torn it before it was
   * durable, so that nothing can depend on it. Omitted if that can't happen.
   */
  isTorn?(name: string): Promise<boolean>;
}

/** A content and its name. */
export interface NamedContent {
  readonly name: string;
  readonly content: Uint8Array;
}
