import { type ErrorType, httpStatusOf } from '../api';
import { type Answer, type Failure, type Interrupted, say } from './reply';

/** Overrides of an error response. */
export interface FailureOptions {
  readonly type?: string;
  readonly message?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly delayMs?: number;
}

const interruptible = say('This answer is long enough to break off somewhere in the middle of it.', { chunkSize: 8 });

/** Responds with an error. The default type is the API's type for this status. */
export function fail(status: number, options: FailureOptions = {}): Failure {
  const type = options.type ?? typeFor(status);
  return {
    kind: 'failure',
    status,
    type,
    message: options.message ?? `Scripted ${type}`,
    headers: options.headers ?? {},
    ...(options.delayMs === undefined ? {} : { delayMs: options.delayMs }),
  };
}

/** Responds with status 429, optionally with a `retry-after` header. */
export function rateLimited(options: FailureOptions & { retryAfterSeconds?: number } = {}): Failure {
  const { retryAfterSeconds, ...rest } = options;
  const after: Record<string, string> =
    retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  return fail(429, { ...rest, headers: { ...after, ...rest.headers } });
}

/** Responds with status 529. */
export function overloaded(options: FailureOptions = {}): Failure {
  return fail(529, { message: 'Overloaded', ...options });
}

/** Responds with status 500. */
export function serverError(options: FailureOptions = {}): Failure {
  return fail(500, { message: 'Internal server error', ...options });
}

/** Destroys the socket after some events of the reply. Default: before the first byte. */
export function dropConnection(options: { afterEvents?: number; answer?: Answer } = {}): Interrupted {
  return interrupted(options, { by: 'drop' });
}

/** Ends the response body properly in the middle of the message, as a proxy does that gives up. */
export function endEarly(options: { afterEvents?: number; answer?: Answer } = {}): Interrupted {
  return interrupted({ afterEvents: 3, ...options }, { by: 'early-end' });
}

/**
 * Sends nothing more for `ms` milliseconds, then destroys the socket. Without `ms`, waits until the client gives up.
 */
export function hang(options: { ms?: number; afterEvents?: number; answer?: Answer } = {}): Interrupted {
  return interrupted(options, { by: 'silence', ms: options.ms });
}

/** Sends an `error` event in the middle of a stream whose status was already 200. */
export function failMidStream(
  options: { type?: ErrorType; message?: string; afterEvents?: number; answer?: Answer } = {},
): Interrupted {
  const type = options.type ?? 'overloaded_error';
  const message = options.message ?? 'Overloaded';
  return interrupted({ afterEvents: 3, ...options }, { by: 'error', type, message, status: httpStatusOf[type] });
}

function interrupted(options: { afterEvents?: number; answer?: Answer }, fault: Interrupted['fault']): Interrupted {
  return { kind: 'interrupted', answer: options.answer ?? interruptible, afterEvents: options.afterEvents ?? 0, fault };
}

function typeFor(status: number): string {
  const known = Object.entries(httpStatusOf).find(([, known]) => known === status);
  if (known) return known[0];
  return status >= 500 ? 'api_error' : 'invalid_request_error';
}
