import { DomainError } from '../errors';

/** Anything that goes wrong between the engine and its store. */
export abstract class StoreError extends DomainError {}

export class BlobMissingError extends StoreError {
  readonly type = 'Store.BlobMissing';

  constructor(runId: string, hash: string, neededBy: string) {
    super(`Run "${runId}" has no blob ${hash}, needed by: ${neededBy}`, { runId, hash, neededBy });
  }
}

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

export class StoreFullError extends StoreError {
  readonly type = 'Store.Full';

  constructor(location: string) {
    super(`No space left in the store at ${location}`, { location });
  }
}

/** Not readable, not writable, not a store: what the operating system said is in the message. */
export class StoreUnavailableError extends StoreError {
  readonly type = 'Store.Unavailable';

  constructor(location: string, reason: string) {
    super(`The store at ${location} cannot be used: ${reason}`, { location, reason });
  }
}

export class OtherStoreError extends StoreError {
  readonly type = 'Store.Other';

  constructor(expected: string, found: string) {
    super(`This run keeps its data in store ${expected}, but this worker has store ${found}`, { expected, found });
  }
}
