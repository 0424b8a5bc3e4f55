import { z } from 'zod';
import { runCommandName } from '../command';
import { utf8 } from '../kernel';
import { type ChangeVerdict, changeVerdictSchema } from '../session';
import { isDispatchTool, type ToolOutcome, toolOutcomeSchema } from '../tool';

/** The outcome of a call that ran inside a turn. Its text is in the store, in the record of that turn. */
const storedOutcomeSchema = z.object({
  callId: z.string(),
  isError: z.boolean(),
  stored: z.object({
    /** The try of the turn that it ran in. */
    try: z.int().nonnegative(),
    /** Bytes from which its tokens are estimated. */
    bytes: z.int().nonnegative(),
    /** Digest of the call and its result. */
    digest: z.string(),
  }),
  /** What the session said to its changes; omitted when nothing. */
  verdict: changeVerdictSchema.exactOptional(),
  /** Set if the model is not sent the text, because it no longer fits into the context window. */
  withheld: z.literal(true).exactOptional(),
});
export type StoredOutcome = Readonly<z.infer<typeof storedOutcomeSchema>>;

/** An outcome that the next model call sends. */
export const pendingOutcomeSchema = z.union([storedOutcomeSchema, toolOutcomeSchema]);
export type PendingOutcome = Readonly<z.infer<typeof pendingOutcomeSchema>>;

/** Whether the text of an outcome is in the record of its turn. */
export function isStored(outcome: PendingOutcome): outcome is StoredOutcome {
  return 'stored' in outcome;
}

/** Adds the session's verdict to an outcome. It is added to the text of a stored one when that is sent to the model. */
export function judged(tool: string, outcome: PendingOutcome, verdict: ChangeVerdict): PendingOutcome {
  if (!isStored(outcome)) return withVerdict(tool, outcome, verdict);
  if (verdict.complaint !== undefined) return { ...outcome, isError: true, verdict };
  return verdict.remark === undefined ? outcome : { ...outcome, verdict };
}

/** Adds the session's verdict to the text of an outcome. */
export function withVerdict(tool: string, outcome: ToolOutcome, { complaint, remark }: ChangeVerdict): ToolOutcome {
  if (complaint !== undefined) {
    // A subagent or a command did its work even if it could not be recorded. Any other tool has had no effect.
    const keepContent = outcome.isError || isDispatchTool(tool) || tool === runCommandName;
    const addendum = keepContent ? `${outcome.addendum ?? ''}\n\nNot recorded:\n${complaint}` : `\n${complaint}`;
    return { ...outcome, isError: true, content: keepContent ? outcome.content : { text: 'Not applied:' }, addendum };
  }
  return remark === undefined ? outcome : { ...outcome, addendum: `${outcome.addendum ?? ''} ${remark}` };
}

/** Returns an upper estimate of the tokens that the outcomes take. */
export function outcomeTokens(outcomes: readonly PendingOutcome[]): number {
  return outcomes.reduce((sum, outcome) => sum + Math.ceil(outcomeBytes(outcome) / 3), 0);
}

function outcomeBytes(outcome: PendingOutcome): number {
  if (isStored(outcome)) {
    const { complaint = '', remark = '' } = outcome.verdict ?? {};
    return (outcome.withheld === true ? 0 : outcome.stored.bytes) + 2 * (complaint.length + remark.length);
  }
  const { content, payload, addendum = '' } = outcome;
  // A payload repeats the content.
  const structured = payload === undefined ? 0 : contentBytes(content) + 2 * JSON.stringify(payload).length;
  return contentBytes(content) + structured + 2 * addendum.length;
}

/** Bytes from which the tokens of a result are estimated. */
export function contentBytes(text: ToolOutcome['content']): number {
  return 'ref' in text ? text.ref.bytes : denseBytes(text.text);
}

/** Bytes from which the tokens of a text are estimated. Two for each character, because short texts may be dense. */
export function denseBytes(text: string): number {
  return Math.max(2 * text.length, utf8(text).length);
}

/** Keeps the text of a result from the model. */
export function withheld(outcome: PendingOutcome): PendingOutcome {
  return isStored(outcome) ? { ...outcome, withheld: true } : withoutText(outcome);
}

/**
 * Replaces the text of a result that no longer fits into the context window. The agent can repeat the call after the
 * handoff.
 */
export function withoutText(outcome: ToolOutcome): ToolOutcome {
  const { callId, isError } = outcome;
  const tokens = outcomeTokens([outcome]);
  const text = `[Not shown: about ${tokens} tokens, and your context window is full. If it is needed, name the call in next_steps.]`;
  return { callId, isError, content: { text } };
}
