/** Failure types of the store. `domain/failure-types.ts` merges them into the complete table and checks their type. */
export const storeFailureTypes = {
  'Store.BlobMissing': {
    meaning: 'A blob that the run refers to is not in the store.',
    remedy:
      'Check whether `baton gc` deleted the run or its folder was moved. Restore the file and reset the run, or start the run again.',
    retryable: false,
  },
  'Store.BlobCorrupt': {
    meaning: 'The content of a blob in the store does not match its hash.',
    remedy:
      'The disk or another program changed the file. Restore it from a backup and reset the run, or start the run again.',
    retryable: false,
  },
  'Store.Full': {
    meaning: 'The disk of the store is full.',
    remedy: 'Free space, for example with `baton gc`. The step is retried automatically.',
    retryable: true,
  },
  'Store.Unavailable': {
    meaning: 'The store cannot be read or written.',
    remedy: 'Check the permissions of the store folder with `baton doctor`. The step is retried automatically.',
    retryable: true,
  },
  'Store.Other': {
    meaning: 'The worker uses a different store from the one that holds the data of the run.',
    remedy:
      'Set the same `BATON_STORE_DIR` for the worker. The step is retried until a worker with that store runs it.',
    retryable: true,
  },
} as const;
