import { DomainError } from '../kernel/errors';

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
