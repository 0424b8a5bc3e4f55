import Anthropic from '@anthropic-ai/sdk';
import { ApplicationFailure } from '@temporalio/common';
import type { FailureType } from '../../domain/kernel';
import { providerFailure, redirectReason, timedOut, typeOfStatus, unreachable, unreadable } from './provider-failure';

/** Converts the errors of Anthropic's SDK to typed failures. */
export function anthropicFailure(error: unknown): ApplicationFailure {
  // Connection errors also extend APIError but have no status, so they are checked first.
  if (error instanceof Anthropic.APIConnectionTimeoutError) return timedOut();
  if (error instanceof Anthropic.APIConnectionError) return unreachable(error);
  if (error instanceof Anthropic.APIError) return fromApiError(error as ApiError);
  if (error instanceof ApplicationFailure) return error;
  return unreadable(error);
}

type ApiError = InstanceType<typeof Anthropic.APIError<number | undefined, Headers | undefined, object | undefined>>;

function fromApiError(error: ApiError): ApplicationFailure {
  const { status, apiMessage, type, headers } = error;
  const reason = redirectReason(status, 'ANTHROPIC_BASE_URL') ?? apiMessage ?? type;
  return providerFailure({ type: typeOf(error), status, reason, headers });
}

function typeOf(error: ApiError): FailureType {
  if (isSpendLimit(error)) return 'Model.SpendLimit';
  // The API has no error code for this 400.
  if (error.status === 400 && /prompt is too long/i.test(error.apiMessage ?? '')) return 'Model.ContextExceeded';
  return error.status === undefined ? typeOfName(error.type) : typeOfStatus(error.status);
}

function isSpendLimit({ type, errorCode }: ApiError): boolean {
  return type === 'billing_error' || errorCode === 'enforced_spend_limit_reached';
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
