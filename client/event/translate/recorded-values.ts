import { z } from 'zod';
import { namedArtifactSchema } from '../../../domain/delegation';
import type { Json } from '../../../domain/kernel';
import { usageSchema } from '../../../domain/model';

// Schemas of recorded arguments and results. Clients know activities and messages only by what they recorded, and each
// schema has only the fields that are read from it, so that other fields may be added.

const text = z.string();
const names = z.array(text).readonly();
/** Not checked further, because everything that was decoded is JSON. */
const json = z.custom<Json>((value) => value !== undefined);

const outcomeSchema = z.object({ callId: text, isError: z.boolean(), addendum: text.exactOptional() });
/** The outcome of a tool call, without its content. */
export type RecordedOutcome = Readonly<z.infer<typeof outcomeSchema>>;

const outcomesSchema = z.array(outcomeSchema).readonly();

/** Arguments of `callModel`. */
export const callModelArguments = z.object({ outcomes: outcomesSchema, identity: z.object({ call: z.int() }) });

/** Result of `callModel`: a call that was not made, or the reply. */
export const callModelResult = z.union([
  z.object({ notAsked: z.enum(['window', 'budget']), message: text }),
  z.object({
    stopReason: text,
    usage: usageSchema,
    toolCalls: z.array(z.object({ id: text, name: text })).readonly(),
  }),
]);

const call = z.object({ id: text, name: text });
/** Arguments of `executeTool` and `prepareDelegation`. */
export const callArguments = z.object({ call });
/** Arguments of `prepareDelegation` and `prepareSkill`. Without a call, a relay requested the delegation. */
export const prepareArguments = z.object({ call: call.exactOptional() });

const hash = text.nullable();
/** Changes that a tool or the agent loop requested. */
const changesSchema = z.object({
  changes: z
    .array(z.object({ path: text, expectedHash: hash, newHash: hash, bytes: z.int(), mediaType: text.exactOptional() }))
    .readonly(),
  events: z.array(z.object({ type: text, value: json })).readonly(),
});
export type RecordedChanges = Readonly<z.infer<typeof changesSchema>>;

/** Result of `executeTool`. */
export const toolResult = changesSchema.extend({ outcome: outcomeSchema });
export type RecordedToolResult = Readonly<z.infer<typeof toolResult>>;

/** Result of `prepareDelegation` and `prepareSkill`. */
export const prepareResult = z.discriminatedUnion('ok', [
  z.object({
    ok: z.literal(true),
    delegationId: text,
    headline: text,
    promptNs: text,
    promptKey: text,
    planStepId: text.nullable(),
  }),
  z.object({ ok: z.literal(false), delegationId: text, message: text }),
]);

/** Result of `prepareBatch`. */
export const prepareBatchResult = z.discriminatedUnion('ok', [
  z.object({
    ok: z.literal(true),
    items: z
      .array(
        z.discriminatedUnion('ok', [
          z.object({ ok: z.literal(true), delegationId: text, headline: text }),
          z.object({ ok: z.literal(false), delegationId: text, error: text }),
        ]),
      )
      .readonly(),
  }),
  z.object({ ok: z.literal(false) }),
]);

/** Result of `renderResults` and `finishResults`. */
export const resultArtifacts = z.object({ artifacts: z.array(namedArtifactSchema).readonly() });

/** Arguments of `awaitDelegation` and `awaitSession`. */
export const awaitArguments = z.object({ workflowId: text });

const refusedForm = z.object({ ok: z.literal(false), violation: text });
/** Result of `checkAnswer`. */
export const checkAnswerResult = z.discriminatedUnion('ok', [z.object({ ok: z.literal(true) }), refusedForm]);
/** Arguments of `takeHandoff`. */
export const takeHandoffArguments = z.object({ number: z.int() });
/** Result of `takeHandoff`. */
export const takeHandoffResult = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true), artifact: z.object({ name: text }), artifactTokens: z.int() }),
  refusedForm,
]);

/** Arguments of `changeTools`. */
export const changeToolsArguments = z.object({ grant: names, revoke: names });
/** Result of `changeTools`. */
export const changeToolsResult = z.object({ refused: names });

/** Start argument of an agent's workflow. A root agent has neither a delegation nor a shared session. */
export const agentStart = z.object({
  delegationId: text.optional(),
  sharedSession: text.nullable().optional(),
  model: z.object({ name: text.optional() }).optional(),
});

/** What an agent passes to its next execution. The host of a session passes something else, without progress. */
export const resumedInput = z.object({
  resume: z.object({ progress: z.object({ outcomes: outcomesSchema }).optional() }).optional(),
});

const versioned = z.object({ version: z.int() });
/** Result of `loadSnapshot`. */
export const loadSnapshotResult = versioned;

/** Start argument of `sessionWorkflow`. */
export const hostStart = z.object({
  session: z.object({ inline: versioned.optional() }),
  resume: z.object({ session: versioned, writers: z.record(text, z.object({ epoch: text, seq: z.int() })) }).optional(),
});

const applyRequest = z.object({
  writer: text,
  epoch: text,
  seq: z.int(),
  turn: z.int(),
  wanted: z.array(changesSchema.extend({ tool: text.nullable() })).readonly(),
});
export type RecordedRequest = Readonly<z.infer<typeof applyRequest>>;
/** Argument of the Update `applyTurns`. */
export const applyTurnsArguments = z.object({ requests: z.array(applyRequest).readonly() });

const verdict = z.object({ complaint: text.exactOptional() });
export type RecordedVerdict = Readonly<z.infer<typeof verdict>>;
/** Result of the Update `applyTurns`. */
export const applyTurnsResult = z.object({
  replies: z
    .array(
      z.discriminatedUnion('ok', [
        z.object({ ok: z.literal(true), version: z.int(), verdicts: z.array(verdict).readonly(), update: z.unknown() }),
        z.object({ ok: z.literal(false), reason: text }),
      ]),
    )
    .readonly(),
  newest: versioned.optional(),
});
export type RecordedReplies = Readonly<z.infer<typeof applyTurnsResult>>;

/** Argument of the Signal `setPaused`. */
export const setPausedArgument = z.object({ paused: z.boolean() });
/** Argument of the Updates `pause` and `resume`. */
export const operatorNote = z.object({ by: text.optional(), note: text.optional() });
/** Argument of the Update `steer`. */
export const steerArgument = operatorNote.extend({ text });
/** Argument of the Update `operatorDecision`. */
export const decisionArgument = operatorNote.extend({ incident: text, action: text });
