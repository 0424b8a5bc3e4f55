/** What can go wrong with the store; part of the one table in `domain/failure-types.ts`, which also checks its form. */
export const storeFailureTypes = {
  'Store.BlobMissing': {
    meaning: 'A content that the run refers to is not in the store.',
    remedy:
      'Was the run deleted by `baton gc`, or its folder moved? Put the file back and reset the run, or start it again.',
    retryable: false,
  },
  'Store.BlobCorrupt': {
    meaning: 'A content in the store does not have the hash it was stored under.',
    remedy:
      'The disk or something else changed the file. Restore it from a backup and reset the run, or start it again.',
    retryable: false,
  },
  'Store.Full': {
    meaning: 'The disk of the store is full.',
    remedy: 'Make room, for example with `baton gc`: the step goes on by itself.',
    retryable: true,
  },
  'Store.Unavailable': {
    meaning: 'The store cannot be read or written.',
    remedy: 'Look at the permissions of the store folder (`baton doctor`): the step goes on by itself once it works.',
    retryable: true,
  },
  'Store.Other': {
    meaning: 'The worker has another store than the one in which the run keeps its data.',
    remedy: 'Give the worker the same `BATON_STORE_DIR`: the step goes on by itself on a worker that has it.',
    retryable: true,
  },
} as const;
