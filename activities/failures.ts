import { ApplicationFailure } from '@temporalio/common';
import { DomainError } from '../domain/kernel/errors';
import { failureTypes } from '../domain/kernel/failure-types';
import { redactSecrets } from './secrets';

/**
 * Converts an expected error to a failure of its type. Any other error is a bug and is kept, so that the Web UI shows
 * its stack.
 */
export function toFailure(error: unknown): unknown {
  if (!(error instanceof DomainError)) return error;
  return ApplicationFailure.create({
    type: error.type,
    message: redactSecrets(error.message),
    nonRetryable: !failureTypes[error.type].retryable,
    details: [error.facts],
  });
}
