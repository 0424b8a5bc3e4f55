import { z } from 'zod';
import { checkValue, firstIssue, uncheckedJson } from '../kernel';
import { spilledTextSchema } from '../store';
import { fileChangeSchema } from '../workspace';
import { dispatchPayloadSchema } from './dispatch-payload';

/** A tool call that the model requested. `input` is the JSON text of its parameters. */
export const toolCallSchema = z.object({
  id: z.string(),
  name: z.string(),
  input: spilledTextSchema,
  /** Number of delegations that a call of `dispatch_subagents` requests. */
  items: z.int().nonnegative().exactOptional(),
  /** Idempotency key of the call. The workflow adds it before it runs the call. */
  key: z.string().exactOptional(),
});
export type ToolCall = Readonly<z.infer<typeof toolCallSchema>>;

/** The result of a call as the model sees it. A failure of the tool itself is a normal outcome with `isError`. */
export const toolOutcomeSchema = z.object({
  callId: z.string(),
  isError: z.boolean(),
  content: spilledTextSchema,
  /** Structured result of a delegation. It follows the content as one line of JSON when it is sent to the model. */
  payload: dispatchPayloadSchema.exactOptional(),
  /** Short text from the workflow that is appended, after the payload, when the outcome is sent to the model. */
  addendum: z.string().exactOptional(),
});
export type ToolOutcome = Readonly<z.infer<typeof toolOutcomeSchema>>;

/** A session event that a tool returns. The slices that handle its type decide what it changes. */
export const sessionEventSchema = z.object({ type: z.string(), value: uncheckedJson });
export type SessionEvent = Readonly<z.infer<typeof sessionEventSchema>>;

/** The result of running a tool: the outcome for the model, and the requested changes. */
export const toolResultSchema = z.object({
  outcome: toolOutcomeSchema,
  changes: z.array(fileChangeSchema).readonly(),
  events: z.array(sessionEventSchema).readonly(),
  /** Paths that had been changed by other agents and that this agent has now read. */
  seen: z.array(z.string()).readonly().exactOptional(),
});
export type ToolResult = Readonly<z.infer<typeof toolResultSchema>>;

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

/** The input of a call, or the result of a call whose input is wrong. */
type CallInput<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly result: ToolResult };

/**
 * Reads the input of a call that the workflow itself carries out. Never throws, because that would block the workflow. No
 * text: the input was too long for history, and so for the tool.
 */
export function readCallInput<Schema extends z.ZodType>(
  schema: Schema,
  callId: string,
  text: string | undefined,
): CallInput<z.output<Schema>> {
  const refused = (problem: string) => ({
    ok: false as const,
    result: failedResult(callId, `${problem}. Correct it and call the tool again.`),
  });
  if (text === undefined) return refused('input: is too long');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refused('input: is not JSON');
  }
  const parsed = checkValue(schema, value);
  if (parsed.success) return { ok: true, value: parsed.data };
  const { field, reason } = firstIssue(parsed.error);
  return refused(`${field}: ${reason}`);
}
