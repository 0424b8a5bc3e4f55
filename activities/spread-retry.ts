import { ApplicationFailure } from '@temporalio/common';
import { msToNumber } from '@temporalio/common/lib/time';
import type { Info } from '@temporalio/activity';

/** Share of the delay that is added at random, at most. */
const share = 0.5;
/** Most that is added, in milliseconds: nobody should wait much longer than the provider asked for. */
const mostAddedMs = 60_000;

/**
 * Delays the next attempt at a model call by a random part more than the provider or the retry policy asks for. Agents that
 * were told to wait at the same moment would otherwise come back at the same moment, and be told to wait again.
 */
export function spreadRetry(
  failure: ApplicationFailure,
  info: Pick<Info, 'attempt' | 'retryPolicy'>,
  random: () => number = Math.random,
): ApplicationFailure {
  const delay = requestedDelay(failure) ?? policyDelay(info);
  if (failure.nonRetryable === true || delay === undefined || !isModelFailure(failure)) return failure;
  return ApplicationFailure.fromError(failure, { nextRetryDelay: spread(delay, random) });
}

/** Returns a delay that is up to half as long again, in milliseconds. */
export function spread(delayMs: number, random: () => number = Math.random): number {
  return Math.ceil(delayMs + Math.min(delayMs * share, mostAddedMs) * random());
}

function isModelFailure({ type }: ApplicationFailure): boolean {
  return type?.startsWith('Model.') === true;
}

function requestedDelay({ nextRetryDelay }: ApplicationFailure): number | undefined {
  return nextRetryDelay == null ? undefined : msToNumber(nextRetryDelay);
}

/** The delay that the server would choose. */
function policyDelay({ attempt, retryPolicy }: Pick<Info, 'attempt' | 'retryPolicy'>): number | undefined {
  if (retryPolicy?.initialInterval === undefined) return undefined;
  const first = msToNumber(retryPolicy.initialInterval);
  const most = retryPolicy.maximumInterval === undefined ? 100 * first : msToNumber(retryPolicy.maximumInterval);
  return Math.min(first * (retryPolicy.backoffCoefficient ?? 2) ** (attempt - 1), most);
}
