import { ApplicationFailure } from '@temporalio/common';
import { DomainError } from '../domain/errors';
import { failureTypes } from '../domain/failure-types';
import { withoutSecrets } from './secrets';

/** Expected errors become failures of their type. Anything else is a bug: it passes untouched, so its own stack reaches the Web UI. */
export function toFailure(error: unknown): unknown {
  if (!(error instanceof DomainError)) return error;
  return ApplicationFailure.create({
    type: error.type,
    message: withoutSecrets(error.message),
    nonRetryable: !failureTypes[error.type].retryable,
    details: [error.facts],
  });
}
