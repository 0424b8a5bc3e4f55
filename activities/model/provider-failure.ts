import { ApplicationFailure } from '@temporalio/common';
import { isNativeError } from 'node:util/types';
import { type FailureType, failureTypes } from '../../domain/kernel';
import { retryDelay } from './retry-delay';

// What the adapters of all providers have in common when a call fails. The error of an SDK is never attached as the cause,
// because it contains headers and bodies, and a cause is recorded in history.

/** Thrown for a response that is not what the API sends. */
export class MalformedResponseError extends Error {}

/** An error response of a provider, or an error that it reported in the middle of a stream. */
export interface ProviderError {
  readonly type: FailureType;
  /** HTTP status; undefined for an error in the middle of a stream. */
  readonly status: number | undefined;
  /** The provider's own words. They can be anything. */
  readonly reason: unknown;
  readonly headers: Headers | undefined;
  /** What the provider or its SDK says about a repetition. Default: what the failure type says. */
  readonly retryable?: boolean | undefined;
  /** What to do, if this is not what the failure type says. */
  readonly remedy?: string | undefined;
}

/** Converts an error of a provider to a typed failure. */
export function providerFailure({ type, status, reason, headers, ...more }: ProviderError): ApplicationFailure {
  const given = typeof reason === 'string' && reason.trim() !== '' ? reason : 'no reason given';
  const message = `${status ?? 'Error during streaming'}: ${given.slice(0, maxReasonLength)}.`.replace(/[.!]\.$/, '.');
  const retryable = shouldRetry(headers) ?? more.retryable ?? failureTypes[type].retryable;
  const delay = retryDelay(headers, Date.now());
  const advice = retryable ? delay.notice : ` ${more.remedy ?? failureTypes[type].remedy}`;
  return modelFailure(type, `${message}${advice}`, { retryable, delayMs: delay.ms });
}

/** Causes below this level are ignored. A chain may be endless. */
const maxCauses = 4;
/** Longest reason of a provider that is kept. The boundary of activities shortens it further, and removes secrets. */
const maxReasonLength = 20_000;

function shouldRetry(headers: Headers | undefined): boolean | undefined {
  const header = headers?.get('x-should-retry');
  return header === 'true' ? true : header === 'false' ? false : undefined;
}

/** Returns the reason to report for a redirect; undefined for other statuses. `setting` contains the base URL. */
export function redirectReason(status: number | undefined, setting: string): string | undefined {
  if (!isRedirect(status)) return undefined;
  return `the provider redirects to another address. Redirects are not followed, because that address would receive the API key. Check \`${setting}\``;
}

function isRedirect(status: number | undefined): boolean {
  return status !== undefined && status >= 300 && status < 400;
}

/** Returns the failure type for the status of an error response. */
export function typeOfStatus(status: number): FailureType {
  switch (status) {
    case 401:
    case 403:
      return 'Model.Unauthorized';
    case 402:
      return 'Model.SpendLimit';
    case 404:
      return 'Model.NotFound';
    case 408:
      return 'Model.TimedOut';
    case 409:
      return 'Model.Conflict';
    case 413:
      return 'Model.RequestTooLarge';
    case 429:
      return 'Model.RateLimited';
    case 529:
      return 'Model.Overloaded';
    default:
      if (isRedirect(status)) return 'Model.Unreachable';
      return status >= 500 ? 'Model.ServerError' : 'Model.BadRequest';
  }
}

/** The failure of a call that took too long. */
export function timedOut(): ApplicationFailure {
  return modelFailure('Model.TimedOut', 'The provider did not answer in time');
}

/** The failure of a call that did not reach the provider. */
export function unreachable(error: unknown): ApplicationFailure {
  return modelFailure('Model.Unreachable', `No connection: ${reasonOf(error)}`);
}

/** The failure of a call whose response ended early, or is not what the API sends. */
export function unreadable(error: unknown): ApplicationFailure {
  const reason = reasonOf(error).slice(0, maxReasonLength);
  return modelFailure('Model.Unreachable', `The response of the provider could not be read: ${reason}`);
}

/** Creates a failure of a model call. Default: it is retried if its type is. */
export function modelFailure(
  type: FailureType,
  message: string,
  more: { retryable?: boolean; delayMs?: number | undefined } = {},
): ApplicationFailure {
  const { retryable = failureTypes[type].retryable, delayMs } = more;
  return ApplicationFailure.create({
    type,
    message,
    nonRetryable: !retryable,
    ...(delayMs === undefined ? {} : { nextRetryDelay: delayMs }),
    // Rate limiting is part of normal operation and should not log a warning each time.
    ...(type === 'Model.RateLimited' || type === 'Model.AtLimit' ? { category: 'BENIGN' as const } : {}),
  });
}

/** The innermost cause says most: `fetch failed` has one, and an SDK wraps both. */
function reasonOf(error: unknown): string {
  if (!isNativeError(error)) return String(error);
  let cause: Error = error;
  for (let level = 0; level < maxCauses && isNativeError(cause.cause); level += 1) cause = cause.cause;
  const code = (cause as NodeJS.ErrnoException).code;
  return code === undefined ? cause.message : `${cause.message} (${code})`;
}
