import type { StopReason } from '../api-types';

/** How fast an answer leaves the server. */
export interface Pace {
  /** Silence before the first byte, headers included. */
  readonly delayMs?: number;
  /** Silence before each delta of a stream. */
  readonly chunkDelayMs?: number;
  /** Characters per delta. */
  readonly chunkSize?: number;
}

/** The four counts of a call, which never overlap. */
export interface CallUsage {
  readonly input_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly output_tokens: number;
}

export interface AnswerOptions extends Pace {
  /** A thinking block ahead of everything else, signed and bound to the conversation as the API's are. */
  readonly thinking?: string;
  /** Takes the place of the reason that follows from the content. */
  readonly stopReason?: StopReason;
  readonly usage?: Partial<CallUsage>;
}

export interface ScriptedToolUse {
  readonly name: string;
  readonly input: unknown;
  /** Normally left out: the id then follows from the request and the attempt. */
  readonly id?: string;
}

/** What the model says and which tools it wants, before stop sequences and limits are applied. */
export interface Answer extends AnswerOptions {
  readonly kind: 'answer';
  readonly text: string;
  readonly tools: readonly ScriptedToolUse[];
}

/** An error response in place of an answer. */
export interface Failure {
  readonly kind: 'failure';
  readonly status: number;
  readonly type: string;
  readonly message: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly delayMs?: number;
}

/** How a stream goes wrong: the socket dies, the body ends early, an `error` event comes, or nothing comes any more. */
export type Fault =
  | { readonly by: 'drop' }
  | { readonly by: 'early-end' }
  | { readonly by: 'error'; readonly type: string; readonly message: string; readonly status: number }
  | { readonly by: 'silence'; readonly ms: number | undefined };

/** An answer that breaks off after so many of its events; pings don't count. */
export interface Interrupted {
  readonly kind: 'interrupted';
  readonly answer: Answer;
  readonly afterEvents: number;
  readonly fault: Fault;
}

export type ScriptedReply = Answer | Failure | Interrupted;
