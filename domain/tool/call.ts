import type { Json } from '../kernel';
import type { SpilledText } from '../store';
import type { FileChange } from '../workspace';

/** A tool call that the model requested. `input` is the JSON text of its parameters. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: SpilledText;
  /** Number of delegations that a call of `dispatch_subagents` requests. */
  readonly items?: number;
}

/** The result of a call as the model sees it. A failure of the tool itself is a normal outcome with `isError`. */
export interface ToolOutcome {
  readonly callId: string;
  readonly isError: boolean;
  readonly content: SpilledText;
  /** Short text from the workflow that is appended to the content when it is sent to the model. */
  readonly addendum?: string;
}

/** The result of running a tool: the outcome for the model, and the requested changes. */
export interface ToolResult {
  readonly outcome: ToolOutcome;
  readonly changes: readonly FileChange[];
  readonly events: readonly SessionEvent[];
  /** Paths that had been changed by other agents and that this agent has now read. */
  readonly seen?: readonly string[];
}

/** Maximum tool calls that run per reply, so that all of them fit into one payload. Further calls return an error. */
export const maxToolCallsPerReply = 64;

/** Builds the outcome of a call that failed, with the message that the model sees. */
export function failedOutcome(callId: string, message: string): ToolOutcome {
  return { callId, isError: true, content: { text: message } };
}

/** Builds the result of a call that failed and changed nothing. */
export function failedResult(callId: string, message: string): ToolResult {
  return { outcome: failedOutcome(callId, message), changes: [], events: [] };
}

/** A session event that a tool returns. The slices that handle its type decide what it changes. */
export interface SessionEvent {
  readonly type: string;
  readonly value: Json;
}
