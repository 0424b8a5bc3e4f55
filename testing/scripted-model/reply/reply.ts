import type { StopReason } from '../api';

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
  readonly input_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly output_tokens: number;
}

/** Options of a reply. */
export interface AnswerOptions extends Pace {
  /** Text of a thinking block before all other blocks. It is signed and bound to the conversation, as the API's are. */
  readonly thinking?: string;
  /** Stop reason. Default: derived from the content. */
  readonly stopReason?: StopReason;
  /** Overrides of the computed token counts. */
  readonly usage?: Partial<CallUsage>;
}

/** One tool call of a reply. */
export interface ScriptedToolUse {
  readonly name: string;
  readonly input: unknown;
  /** Id of the call. Default: derived from the request and the attempt. */
  readonly id?: string;
}

/** The text and tool calls of a reply, before stop sequences and limits are applied. */
export interface Answer extends AnswerOptions {
  readonly kind: 'answer';
  readonly text: string;
  readonly tools: readonly ScriptedToolUse[];
}

/** An error response instead of a reply. */
export interface Failure {
  readonly kind: 'failure';
  readonly status: number;
  readonly type: string;
  readonly message: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly delayMs?: number;
}

/**
 * How a stream fails: the socket is destroyed, the body ends early, an `error` event is sent, or nothing more is sent.
 */
export type Fault =
  | { readonly by: 'drop' }
  | { readonly by: 'early-end' }
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

/** Replies with text. */
export function say(text: string, options: AnswerOptions = {}): Answer {
  return { kind: 'answer', text, tools: [], ...options };
}

/** Replies with one tool call, optionally preceded by text. */
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

/** Replies with a refusal. */
export function refuse(text = '', options: AnswerOptions = {}): Answer {
  return say(text, { ...options, stopReason: 'refusal' });
}
