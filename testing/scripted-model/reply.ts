import { type ErrorType, httpStatusOf, type StopReason } from './api';

/** How fast a reply is sent. */
export interface Pace {
  /** Delay before the first byte, including the headers, in milliseconds. Default: 0. */
  readonly delayMs?: number;
  /** Delay before each delta of a stream, in milliseconds. Default: 0. */
  readonly chunkDelayMs?: number;
  /** Characters per delta. Default: 40. */
  readonly chunkSize?: number;
}

/** The four token counts of a call, which never overlap. */
export interface CallUsage {
  /** Tokens of the prompt that were neither read from the cache nor written to it. */
  readonly input_tokens: number;
  /** Tokens of the prompt that were written to the cache. */
  readonly cache_creation_input_tokens: number;
  /** Tokens of the prompt that were read from the cache. */
  readonly cache_read_input_tokens: number;
  /** Tokens of the reply. */
  readonly output_tokens: number;
}

/** Options of a reply. */
export interface AnswerOptions extends Pace {
  /**
   * Text of a thinking block before all other blocks. It is signed and bound to the conversation, as the API's are.
   * Default: no such block.
   */
  readonly thinking?: string;
  /** Stop reason. Default: derived from the content. */
  readonly stopReason?: StopReason;
  /** Overrides of the computed token counts. Default: a quarter of the bytes, and a cache that never expires. */
  readonly usage?: Partial<CallUsage>;
}

/** One tool call of a reply. */
export interface ScriptedToolUse {
  /** Name of the tool. */
  readonly name: string;
  /** Input of the tool, sent as JSON. It need not match the tool's schema. */
  readonly input: unknown;
  /** Id of the call. Default: derived from the request and the attempt. */
  readonly id?: string;
  /** Text to send in place of the input's JSON, for example half of it. Default: the input as JSON. */
  readonly json?: string;
}

/** The text and tool calls of a reply, before stop sequences and limits are applied. */
export interface Answer extends AnswerOptions {
  readonly kind: 'answer';
  /** Text of the reply; empty for none. */
  readonly text: string;
  /** Tool calls, in order. */
  readonly tools: readonly ScriptedToolUse[];
}

/** An error response instead of a reply. */
export interface Failure {
  readonly kind: 'failure';
  /** HTTP status. */
  readonly status: number;
  /** The API's error type. */
  readonly type: string;
  readonly message: string;
  /** Headers in addition to the usual ones. */
  readonly headers: Readonly<Record<string, string>>;
  /** Delay before the response, in milliseconds. Default: 0. */
  readonly delayMs?: number;
}

/**
 * How a stream fails: the socket is destroyed, the body ends early or with an event that is not JSON, an `error` event is
 * sent, or nothing more is sent.
 */
export type Fault =
  | { readonly by: 'drop' }
  | { readonly by: 'early-end' }
  | { readonly by: 'garbage' }
  | { readonly by: 'error'; readonly type: string; readonly message: string; readonly status: number }
  | { readonly by: 'silence'; readonly ms: number | undefined };

/** A reply that is interrupted after `afterEvents` of its events; pings don't count. */
export interface Interrupted {
  readonly kind: 'interrupted';
  readonly answer: Answer;
  readonly afterEvents: number;
  readonly fault: Fault;
}

/** Everything that a script can respond with. */
export type ScriptedReply = Answer | Failure | Interrupted;

/** Replies with text. An agent takes a reply without tool calls as its final message. */
export function say(text: string, options: AnswerOptions = {}): Answer {
  return { kind: 'answer', text, tools: [], ...options };
}

/** Replies with one tool call, optionally preceded by text. Default id of the call: derived from the request. */
export function useTool(
  name: string,
  input: unknown,
  options: AnswerOptions & { text?: string; id?: string } = {},
): Answer {
  const { text, id, ...rest } = options;
  return useTools(
    [{ name, input, ...(id === undefined ? {} : { id }) }],
    text === undefined ? rest : { ...rest, text },
  );
}

/** Replies with several tool calls in one turn. */
export function useTools(tools: readonly ScriptedToolUse[], options: AnswerOptions & { text?: string } = {}): Answer {
  return { kind: 'answer', text: '', tools, ...options };
}

/** Replies with the stop reason `refusal`, and the text that the model wrote before it. Default: no text. */
export function refuse(text = '', options: AnswerOptions = {}): Answer {
  return say(text, { ...options, stopReason: 'refusal' });
}

/** Overrides of an error response. */
export interface FailureOptions {
  /** Default: the API's type for this status. */
  readonly type?: string;
  /** Default: a text that contains the type. */
  readonly message?: string;
  /** Headers in addition to the usual ones. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Delay before the response, in milliseconds. Default: 0. */
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

/**
 * Ends the response body properly in the middle of the message, as a proxy does that gives up. Default: after three
 * events.
 */
export function endEarly(options: { afterEvents?: number; answer?: Answer } = {}): Interrupted {
  return interrupted({ afterEvents: 3, ...options }, { by: 'early-end' });
}

/**
 * Sends an event whose data is not JSON, and ends the response body, as a proxy does that mixes responses up. Default:
 * after three events.
 */
export function garbleStream(options: { afterEvents?: number; answer?: Answer } = {}): Interrupted {
  return interrupted({ afterEvents: 3, ...options }, { by: 'garbage' });
}

/**
 * Sends nothing more for `ms` milliseconds, then destroys the socket. Without `ms`, waits until the client gives up.
 * Default: before the first byte.
 */
export function hang(options: { ms?: number; afterEvents?: number; answer?: Answer } = {}): Interrupted {
  return interrupted(options, { by: 'silence', ms: options.ms });
}

/**
 * Sends an `error` event in the middle of a stream whose status was already 200. Default: `overloaded_error` after three
 * events.
 */
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
