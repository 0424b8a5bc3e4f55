import { statusOf } from '../api-error';
import type { ErrorType } from '../api-types';
import { say } from './answers';
import type { Answer, Failure, Interrupted } from './reply';

export interface FailureOptions {
  readonly type?: string;
  readonly message?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly delayMs?: number;
}

const interruptible = say('This answer is long enough to break off somewhere in the middle of it.', { chunkSize: 8 });

/** An error response; the type follows from the status when it is one of the API's. */
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

export function rateLimited(options: FailureOptions & { retryAfterSeconds?: number } = {}): Failure {
  const { retryAfterSeconds, ...rest } = options;
  const after: Record<string, string> =
    retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  return fail(429, { ...rest, headers: { ...after, ...rest.headers } });
}

export function overloaded(options: FailureOptions = {}): Failure {
  return fail(529, { message: 'Overloaded', ...options });
}

export function serverError(options: FailureOptions = {}): Failure {
  return fail(500, { message: 'Internal server error', ...options });
}

/** The socket is destroyed after some events of the answer; with none, before any byte. */
export function dropConnection(options: { afterEvents?: number; answer?: Answer } = {}): Interrupted {
  return interrupted(options, { by: 'drop' });
}

/** The body ends properly, as behind a proxy that gave up, but the message in it does not. */
export function endEarly(options: { afterEvents?: number; answer?: Answer } = {}): Interrupted {
  return interrupted({ afterEvents: 3, ...options }, { by: 'early-end' });
}

/** Nothing comes (any more) for so long, then the socket is destroyed; without `ms`, until the client gives up. */
export function hang(options: { ms?: number; afterEvents?: number; answer?: Answer } = {}): Interrupted {
  return interrupted(options, { by: 'silence', ms: options.ms });
}

/** An `error` event in the middle of a stream whose status already was 200. */
export function failMidStream(
  options: { type?: ErrorType; message?: string; afterEvents?: number; answer?: Answer } = {},
): Interrupted {
  const type = options.type ?? 'overloaded_error';
  const message = options.message ?? 'Overloaded';
  return interrupted({ afterEvents: 3, ...options }, { by: 'error', type, message, status: statusOf[type] });
}

function interrupted(options: { afterEvents?: number; answer?: Answer }, fault: Interrupted['fault']): Interrupted {
  return { kind: 'interrupted', answer: options.answer ?? interruptible, afterEvents: options.afterEvents ?? 0, fault };
}

function typeFor(status: number): string {
  const known = Object.entries(statusOf).find(([, known]) => known === status);
  if (known) return known[0];
  return status >= 500 ? 'api_error' : 'invalid_request_error';
}
