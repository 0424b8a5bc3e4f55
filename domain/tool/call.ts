import type { SpilledText } from '../store/spilled';
import type { FileChange } from '../workspace/change';
import type { SessionEvent } from './event';

/** A tool call as the model asked for it; `input` is the JSON text of its parameters. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: SpilledText;
  /** How many delegations a call of `dispatch_subagents` asks for. */
  readonly items?: number;
}

/** What the model is told about a call. A tool's own failure is an outcome like any other. */
export interface ToolOutcome {
  readonly callId: string;
  readonly isError: boolean;
  readonly content: SpilledText;
  /** Added to the content when the model is told: what the workflow itself has to say, short. */
  readonly addendum?: string;
}

/** What came of running a tool: the outcome for the model, and what it wants changed. */
export interface ToolExecution {
  readonly outcome: ToolOutcome;
  readonly changes: readonly FileChange[];
  readonly events: readonly SessionEvent[];
  /** Files that others had changed and that the agent has read now. */
  readonly seen?: readonly string[];
}

/** More calls in one reply than this are answered with an error: all of them must fit into one payload. */
export const maxToolCallsPerReply = 64;

export function failedOutcome(callId: string, message: string): ToolOutcome {
  return { callId, isError: true, content: { text: message } };
}
