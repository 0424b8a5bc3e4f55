import type { SpilledText } from '../store/spilled';

/** A tool call as the model asked for it; `input` is the JSON text of its parameters. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: SpilledText;
}

/** What the model is told about a call. A tool's own failure is an outcome like any other. */
export interface ToolOutcome {
  readonly callId: string;
  readonly isError: boolean;
  readonly content: SpilledText;
}

/** More calls in one reply than this are answered with an error: all of them must fit into one payload. */
export const maxToolCallsPerReply = 64;

export function failedOutcome(callId: string, message: string): ToolOutcome {
  return { callId, isError: true, content: { text: message } };
}
