import { z } from 'zod';
import { activityContract, type InputOf, type JsonObject, uncheckedObject } from '../kernel';
import { type CallRefused, callRefusedSchema, stopReasonSchema, type Usage } from '../model';
import { applySessionResultSchema, changeVerdictSchema, placedRequestSchema, type SessionSnapshot } from '../session';
import { shortRefSchema, spilledTextSchema, storeLocationSchema, unsavedSchema } from '../store';
import { sessionEventSchema, toolCallSchema, toolOutcomeSchema } from '../tool';
import { fileChangeSchema, workspaceFilesSchema } from '../workspace';
import { burstSchema, callIdentitySchema, callLimitsSchema, replacedModelSchema } from './call-contract';
import { operatorChangesSchema } from './progress';

// History has one input and one result per turn, so fields without content are omitted, and what is known without them:
// the media type of a link, the agent's workflow id.

/** What is new for the model since its last reply. Fields without content are omitted. */
const toldSchema = z.object({
  /** Outcomes of calls that the workflow ran or refused itself, in the order of the calls. */
  outcomes: z.array(toolOutcomeSchema).readonly().exactOptional(),
  /** The try of the turn before, if calls ran inside it. Their outcomes are in the store, in the record of that turn. */
  ran: z.int().nonnegative().exactOptional(),
  /** The session's verdicts on those calls, by call id. */
  verdicts: z.record(z.string(), changeVerdictSchema).exactOptional(),
  /** Ids of those calls whose results no longer fit into the context window. */
  withheld: z.array(z.string()).readonly().exactOptional(),
  /** Texts from the engine to the model, such as a violation of the output format. */
  notes: z.array(z.string()).readonly().exactOptional(),
  /** Steering messages from operators. */
  steering: z.array(z.string()).readonly().exactOptional(),
  /** Changes that an operator made to the agent since the last call, or a fallback to another model. */
  changes: operatorChangesSchema.exactOptional(),
});
export type ToldInput = Readonly<z.infer<typeof toldSchema>>;

/** What tool calls need to run inside the turn. */
const insideSchema = z.object({
  workspace: z
    .object({
      root: shortRefSchema,
      changes: workspaceFilesSchema.shape.changes.exactOptional(),
    })
    .exactOptional(),
  /** Records of the slices that the agent's tools read; slices without records are omitted. */
  slices: uncheckedObject<SessionSnapshot['slices']>().exactOptional(),
  /** Paths that other agents changed since this agent last read them. */
  unseen: z.array(z.string()).readonly().exactOptional(),
  /** Maximum bytes of a result. Default, and upper limit: `maxToolResultBytes`. */
  maxResultBytes: z.int().positive().exactOptional(),
  /** Names of tools whose calls the workflow runs itself: it examines them first, or their slices are too large. */
  except: z.array(z.string()).readonly().exactOptional(),
  /** Request with which the turn sends what its calls change to the host of the agent's shared session. */
  apply: placedRequestSchema.extend({ host: z.string() }).exactOptional(),
});
export type Inside = Readonly<z.infer<typeof insideSchema>>;

const count = z.int().nonnegative();

/** Token counts: input, read from the cache, written to it, output; then `true` if some were estimated. */
const compactUsageSchema = z.tuple([count, count, count, count, z.literal(true).optional()]).readonly();
export type CompactUsage = Readonly<z.infer<typeof compactUsageSchema>>;

/** Writes token counts in the compact form. */
export function compactUsage({ input, cacheRead, cacheWrite, output, estimated }: Usage): CompactUsage {
  return estimated === true ? [input, cacheRead, cacheWrite, output, true] : [input, cacheRead, cacheWrite, output];
}

/** Reads token counts from the compact form. */
export function expandUsage([input, cacheRead, cacheWrite, output, estimated]: CompactUsage): Usage {
  return { input, cacheRead, cacheWrite, output, ...(estimated === true ? { estimated } : {}) };
}

/** A call that ran inside the turn. Its result is in the record of the turn, and the next turn sends it to the model. */
const ranCallSchema = z.object({
  id: z.string(),
  name: z.string(),
  /** Beginning of its arguments. */
  about: z.string(),
  isError: z.literal(true).exactOptional(),
  /** Bytes from which the tokens of the result are estimated. */
  bytes: count,
  /** Digest of the call and its result, to recognize repeated turns. */
  digest: z.string(),
  changes: z.array(fileChangeSchema).readonly().exactOptional(),
  events: z.array(sessionEventSchema).readonly().exactOptional(),
  /** Paths that had been changed by other agents and that this agent has now read. */
  seen: z.array(z.string()).readonly().exactOptional(),
  /** Time that it took, in milliseconds. */
  ms: count,
});
export type RanCall = Readonly<z.infer<typeof ranCallSchema>>;

/** Why a call is left to the workflow. */
export const reasonOutsideSchema = z.enum([
  /** The reply was cut off, or does not ask for tools. */
  'cut',
  /** The agent does not have the tool. */
  'unknown',
  /** The workflow carries it out itself: a delegation, a request for a tool, a question to an operator. */
  'workflow',
  /** It must not run twice. */
  'once',
  /** It takes long: a command, or a tool of an MCP server. */
  'never',
  /** A rule, a limit or the size of a slice: see `inside.except`. */
  'except',
  /** This worker does not have the tool. */
  'worker',
  /** The reply has too many calls. */
  'many',
  /** Another call of the reply is left to the workflow, and this one might take long. */
  'mixed',
  /** It took too long. */
  'slow',
  /** What it changes does not fit into the result of the turn. */
  'size',
  /** Workers that ran this turn's calls have died. */
  'died',
]);
export type ReasonOutside = z.infer<typeof reasonOutsideSchema>;

/** A call that the workflow has to run. */
const leftCallSchema = toolCallSchema.extend({
  /** Zero-based place among all calls of the reply. */
  index: count,
  why: reasonOutsideSchema,
});
export type LeftCall = Readonly<z.infer<typeof leftCallSchema>>;

/** An answer in the required output format, or how it violates it. */
const checkedAnswerSchema = z.union([
  z.object({ violation: z.string() }),
  z.object({
    /** The answer in canonical form. */
    text: spilledTextSchema,
    /** Length of `text` in UTF-16 code units. */
    characters: count,
    /** The parsed answer as canonical JSON; omitted for a format with nothing but text. */
    value: spilledTextSchema.exactOptional(),
  }),
]);
export type CheckedAnswer = Readonly<z.infer<typeof checkedAnswerSchema>>;

const turnSchema = z.object({
  /** Calls that ran inside the turn, in the order of the reply; omitted when none did. */
  ran: z.array(ranCallSchema).readonly().exactOptional(),
  /** Calls that the workflow has to run; omitted when there are none. */
  calls: z.array(leftCallSchema).readonly().exactOptional(),
  /** End of the transcript, which is the reply. */
  head: shortRefSchema,
  stopReason: stopReasonSchema,
  /** Usage of all requests that the reply took. */
  usage: compactUsageSchema,
  /** Usage of the last request alone, when the reply took several. This is what fills the context window. */
  lastUsage: compactUsageSchema.exactOptional(),
  /** Name of the model that replied, as its provider reports it; omitted if it is the one that was requested. */
  model: z.string().exactOptional(),
  /** The reply's text; only of an answer, and of a handoff. Omitted if `checked` has it. */
  text: spilledTextSchema.exactOptional(),
  /** Length of `text` in UTF-16 code units. */
  characters: count.exactOptional(),
  /** Only of an answer that has to have a format. */
  checked: checkedAnswerSchema.exactOptional(),
  /** The workspace of the input with its changes folded in; omitted unless there were many. */
  root: shortRefSchema.exactOptional(),
  /** What the host of the shared session replied to the changes of all calls. The events of `ran` are omitted then. */
  applied: applySessionResultSchema.exactOptional(),
  /** Time until the host replied, in milliseconds. */
  applyMs: count.exactOptional(),
  /** Execution in whose name a request was sent to the host without a reply in time. The workflow sends it again. */
  unanswered: z.string().exactOptional(),
  /** Time that the model took, in milliseconds. */
  ms: count,
});
/** What the workflow learns about a turn. Texts of results stay in the store. */
export type Turn = Readonly<z.infer<typeof turnSchema>>;

/** Why a turn can't be taken, as its own activity would have failed. */
const turnFailureSchema = z.object({
  /** Failure type; omitted for an unexpected error. */
  type: z.string().exactOptional(),
  message: z.string(),
  /** Facts about the failure; omitted when there are none, or too many. */
  facts: uncheckedObject<JsonObject>().exactOptional(),
});
export type TurnFailure = Readonly<z.infer<typeof turnFailureSchema>>;

const turnsSchema = turnSchema.extend({
  /** Turns that the activity took after the first one by itself; omitted when there are none. */
  more: z.array(turnSchema).readonly().exactOptional(),
  /** Set if the turn after these failed for good. */
  failed: turnFailureSchema.exactOptional(),
});
/** A turn, and those after it that the same activity took. */
export type Turns = Readonly<z.infer<typeof turnsSchema>>;

const unsavedAnswerSchema = z.object({ unsaved: unsavedSchema });
/**
 * An answer that was paid for and that the store did not take. The workflow begins the same activity again with it: unlike
 * the details of a heartbeat, history keeps it when an operator interrupts the agent between two attempts.
 */
type UnsavedAnswer = Readonly<z.infer<typeof unsavedAnswerSchema>>;

/** Returns true if an activity could not store an answer. The turns before it are in the journal. */
export function isUnsavedAnswer(result: RunTurnResult): result is UnsavedAnswer {
  return 'unsaved' in result;
}

/** Returns true if at least one turn was taken. */
export function areTurns(result: object): result is Turns {
  return 'head' in result;
}

export const runTurnActivity = activityContract('runTurn', {
  description:
    'Calls the model, appends the new messages and the reply to the transcript, and runs the tool calls that may run in the same activity. Each model call is paid for once.',
  input: storeLocationSchema.extend({
    /** End of the transcript so far. */
    head: shortRefSchema,
    identity: callIdentitySchema,
    /** What is new for the model; omitted when nothing is. */
    told: toldSchema.exactOptional(),
    /** Models that failed in this turn, in order; omitted when there are none. */
    insteadOf: z.array(replacedModelSchema).readonly().exactOptional(),
    /** Limits to check before the call; omitted when the call can't exceed any. */
    admission: callLimitsSchema.exactOptional(),
    /** Set for the handoff call, in which the model must not use tools. */
    closing: z.literal(true).exactOptional(),
    /** Omitted if no tool call may run inside the turn. */
    inside: insideSchema.exactOptional(),
    /** Omitted if the activity takes only one turn. */
    burst: burstSchema.exactOptional(),
    /** Set if the model must not be called: only turns whose reply is in the journal are taken. */
    paidOnly: z.literal(true).exactOptional(),
    /** An answer that the activity before could not store; omitted when there is none. */
    unsaved: unsavedSchema.exactOptional(),
  }),
  result: z.union([turnsSchema, callRefusedSchema, unsavedAnswerSchema]),
});
export type RunTurnInput = InputOf<typeof runTurnActivity>;
export type RunTurnResult = Turns | CallRefused | UnsavedAnswer;

/** How far a turn is. The heartbeats of its activity say so, until it has ended. */
export const turnProgressSchema = z.object({
  turn: z.int().positive(),
  /** Names of the tools that are running; empty while the model replies. */
  tools: z.array(z.string()).readonly(),
});
export type TurnProgress = Readonly<z.infer<typeof turnProgressSchema>>;
