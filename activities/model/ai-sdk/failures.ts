import { APICallError, LoadAPIKeyError, LoadSettingError, NoSuchModelError } from '@ai-sdk/provider';
import { ApplicationFailure } from '@temporalio/common';
import type { FailureType } from '../../../domain/kernel';
import {
  modelFailure,
  providerFailure,
  redirectReason,
  typeOfStatus,
  unreachable,
  unreadable,
} from '../provider-failure';

/** Names of settings, for messages that explain what to do. */
export interface SettingNames {
  /** Variable or option with the API key. */
  readonly apiKey?: string | undefined;
  /** Variable or option with the base URL. */
  readonly baseUrl?: string | undefined;
}

/**
 * Converts the errors of an AI SDK provider to typed failures. Of an error, only its message, status and headers are
 * used: the rest contains the whole request.
 */
export function aiSdkFailure(error: unknown, names: SettingNames): ApplicationFailure {
  if (error instanceof ApplicationFailure) return error;
  if (APICallError.isInstance(error)) return fromCallError(error, names);
  if (LoadAPIKeyError.isInstance(error))
    return modelFailure('Model.Unauthorized', `${error.message} ${remedyFor(names)}`);
  if (LoadSettingError.isInstance(error)) return modelFailure('Model.Unavailable', error.message);
  if (NoSuchModelError.isInstance(error)) return modelFailure('Model.NotFound', error.message);
  return unreadable(error);
}

/** An error that a provider reports in the middle of a stream: an error of its SDK, or the data that it sent. */
export function streamFailure(error: unknown, names: SettingNames): ApplicationFailure {
  if (error instanceof Error) return aiSdkFailure(error, names);
  const { message, labels } = reportIn(error);
  const type = typeOfLabels(labels) ?? 'Model.ServerError';
  return providerFailure({
    type,
    status: undefined,
    reason: message,
    headers: undefined,
    remedy: remedyOf(type, names),
  });
}

function fromCallError(error: APICallError, names: SettingNames): ApplicationFailure {
  const { statusCode: status } = error;
  if (status === undefined) return unreachable(error);
  // The status of a success: what followed it could not be read.
  if (status < 300) return unreadable(error);
  const { labels, message } = reportIn(error.data ?? parsed(error.responseBody));
  const reason = redirectReason(status, names.baseUrl ?? 'baseUrl') ?? message ?? error.message;
  const type = typeOf(status, labels, reason);
  return providerFailure({
    type,
    status,
    reason,
    headers: new Headers(error.responseHeaders ?? {}),
    retryable: retryableBy(error, status, type),
    remedy: remedyOf(type, names),
  });
}

/** Failures that a repetition cannot solve, whatever the SDK says. */
const final: ReadonlySet<FailureType> = new Set<FailureType>([
  'Model.SpendLimit',
  'Model.ContextExceeded',
  'Model.Unauthorized',
]);

/** What the SDK of the provider decided, if that differs from what all SDKs decide by the status. */
function retryableBy({ isRetryable }: APICallError, status: number, type: FailureType): boolean | undefined {
  const usual = status === 408 || status === 409 || status === 429 || status >= 500;
  return isRetryable === usual || final.has(type) ? undefined : isRetryable;
}

function remedyOf(type: FailureType, names: SettingNames): string | undefined {
  return type === 'Model.Unauthorized' ? remedyFor(names) : undefined;
}

function remedyFor({ apiKey }: SettingNames): string {
  const key = apiKey === undefined ? 'a valid API key of the provider' : `a valid \`${apiKey}\``;
  return `Set ${key} for the worker and restart it. Then retry the waiting agents, or start the run again.`;
}

/** Words of providers for a prompt that is longer than the context window. */
const tooLong =
  /maximum context length|context[ _](length|window)|(prompt|input) is too long|too many (input )?tokens|input token count .*exceeds/i;

function typeOf(status: number, labels: readonly string[], reason: string): FailureType {
  const byLabel = typeOfLabels(labels);
  if (byLabel === 'Model.SpendLimit' || byLabel === 'Model.ContextExceeded') return byLabel;
  if ((status === 400 || status === 413 || status === 422) && tooLong.test(reason)) return 'Model.ContextExceeded';
  return typeOfStatus(status);
}

/** Names and codes that providers give to errors. The status says the rest. */
function typeOfLabels(labels: readonly string[]): FailureType | undefined {
  const known: readonly (readonly [RegExp, FailureType])[] = [
    [/insufficient_quota|billing|spend_limit/, 'Model.SpendLimit'],
    [/context_length_exceeded/, 'Model.ContextExceeded'],
    [/overloaded/, 'Model.Overloaded'],
    [/rate_limit|too_many_requests|throttl|resource_exhausted/, 'Model.RateLimited'],
    [/timeout|deadline_exceeded/, 'Model.TimedOut'],
    [/invalid_api_key|authentication|permission|unauthenticated/, 'Model.Unauthorized'],
    [/server_error|api_error|unavailable|internal/, 'Model.ServerError'],
    [/not_found/, 'Model.NotFound'],
    [/invalid_request|invalid_argument/, 'Model.BadRequest'],
  ];
  return known.find(([pattern]) => labels.some((label) => pattern.test(label)))?.[1];
}

/** What an error body says: its message, and the names and codes of the error. Most providers nest them in `error`. */
function reportIn(body: unknown): { readonly message: string | undefined; readonly labels: readonly string[] } {
  if (typeof body === 'string') return { message: body, labels: [] };
  const outer = asObject(body);
  const { message, code, type, status, __type: awsType } = { ...outer, ...asObject(outer['error']) };
  const labels = [code, type, status, awsType].filter((label) => typeof label === 'string');
  return {
    message: typeof message === 'string' ? message : undefined,
    labels: labels.map((label) => label.toLowerCase()),
  };
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function parsed(body: string | undefined): unknown {
  try {
    return JSON.parse(body ?? '');
  } catch {
    return undefined;
  }
}
