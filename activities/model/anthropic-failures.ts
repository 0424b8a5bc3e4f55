import Anthropic from '@anthropic-ai/sdk';
import { ApplicationFailure } from '@temporalio/common';
import { type FailureType, failureTypes } from '../../domain/kernel';
import { retryDelay } from './retry-delay';

/**
 * Converts the provider's errors to typed failures. The SDK's error is never attached as the cause, because it contains
 * headers and bodies, and a cause is recorded in history.
 */
export function providerFailure(error: unknown): ApplicationFailure {
  // Connection errors also extend APIError but have no status, so they are checked first.
  if (error instanceof Anthropic.APIConnectionTimeoutError)
    return failure('Model.TimedOut', 'The provider did not answer in time');
  if (error instanceof Anthropic.APIConnectionError)
    return failure('Model.Unreachable', `No connection: ${reasonOf(error)}`);
  if (error instanceof Anthropic.APIError) return fromApiError(error as ApiError);
  if (error instanceof ApplicationFailure) return error;
  // What remains are responses that ended early, or that are not what the API sends.
  const reason = error instanceof Error ? reasonOf(error) : String(error);
  return failure('Model.Unreachable', `The response of the provider could not be read: ${reason}`);
}

type ApiError = InstanceType<typeof Anthropic.APIError<number | undefined, Headers | undefined, object | undefined>>;

function fromApiError(error: ApiError): ApplicationFailure {
  const type = typeOf(error);
  const reason = reasonIn(error).slice(0, maxReasonLength);
  const message = `${error.status ?? 'Error during streaming'}: ${reason}.`.replace(/[.!]\.$/, '.');
  const retryable = shouldRetry(error) ?? failureTypes[type].retryable;
  const hint = retryable ? '' : ` ${failureTypes[type].remedy}`;
  const delay = retryDelay(error.headers, Date.now());
  return failure(type, `${message}${retryable ? delay.notice : hint}`, { retryable, delayMs: delay.ms });
}

/** Longest reason of a provider that is kept. The boundary of activities shortens it further, and removes secrets. */
const maxReasonLength = 20_000;

function reasonIn({ status, apiMessage, type }: ApiError): string {
  if (isRedirect(status))
    return 'the provider redirects to another address. Redirects are not followed, because that address would receive the API key. Check `ANTHROPIC_BASE_URL`';
  // The body can be anything, whatever its declaration says.
  const given: unknown = apiMessage ?? type;
  return typeof given === 'string' && given.trim() !== '' ? given : 'no reason given';
}

function isRedirect(status: number | undefined): boolean {
  return status !== undefined && status >= 300 && status < 400;
}

function typeOf(error: ApiError): FailureType {
  if (isSpendLimit(error)) return 'Model.SpendLimit';
  // The API has no error code for this 400.
  if (error.status === 400 && /prompt is too long/i.test(error.apiMessage ?? '')) return 'Model.ContextExceeded';
  const byStatus = error.status === undefined ? undefined : typeOfStatus(error.status);
  return byStatus ?? typeOfName(error.type);
}

function isSpendLimit({ status, type, errorCode }: ApiError): boolean {
  return status === 402 || type === 'billing_error' || errorCode === 'enforced_spend_limit_reached';
}

function typeOfStatus(status: number): FailureType {
  switch (status) {
    case 401:
    case 403:
      return 'Model.Unauthorized';
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

/** An error event in the middle of a stream has a name but no status. */
function typeOfName(name: string | null): FailureType {
  switch (name) {
    case 'overloaded_error':
      return 'Model.Overloaded';
    case 'rate_limit_error':
      return 'Model.RateLimited';
    case 'timeout_error':
      return 'Model.TimedOut';
    case 'authentication_error':
    case 'permission_error':
      return 'Model.Unauthorized';
    case 'request_too_large':
      return 'Model.RequestTooLarge';
    case 'not_found_error':
      return 'Model.NotFound';
    case 'invalid_request_error':
      return 'Model.BadRequest';
    default:
      return 'Model.ServerError';
  }
}

function shouldRetry({ headers }: ApiError): boolean | undefined {
  const header = headers?.get('x-should-retry');
  return header === 'true' ? true : header === 'false' ? false : undefined;
}

function failure(
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
    ...(type === 'Model.RateLimited' ? { category: 'BENIGN' as const } : {}),
  });
}

function reasonOf(error: Error): string {
  const cause = error.cause instanceof Error ? error.cause : error;
  const code = (cause as NodeJS.ErrnoException).code;
  return code === undefined ? cause.message : `${cause.message} (${code})`;
}
