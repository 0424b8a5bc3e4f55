import type { FoundRetry } from '../operator';

/** Whether a workflow id may be used again: never, or only if its last execution has failed. */
export type ReusePolicy = 'REJECT_DUPLICATE' | 'ALLOW_DUPLICATE_FAILED_ONLY';

/** With which policy a delegation is started. If an operator decides to repeat it, it has to run again. */
export function reusePolicy(isFirstAttempt: boolean): ReusePolicy {
  return isFirstAttempt ? 'REJECT_DUPLICATE' : 'ALLOW_DUPLICATE_FAILED_ONLY';
}

/**
 * Whether a delegation that exists already is run again instead of being adopted. One that has ended without a result is,
 * unless an operator's retry took its parent back: then only what the operator named is repeated, because the others are
 * repeated in their own executions.
 */
export function mustRunAgain(
  delegationId: string,
  { retry, hasFailed }: Pick<FoundRetry, 'retry' | 'hasFailed'>,
): boolean {
  return hasFailed && (retry === null || retry.startAgain?.includes(delegationId) === true);
}
