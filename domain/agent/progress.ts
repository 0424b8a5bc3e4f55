import { z } from 'zod';
import {
  type Allowance,
  charge,
  type Ledger,
  openLedger,
  type Spending,
  spendingOf,
  stricterCalls,
  type Told,
} from '../budget';
import {
  type FallbackRecord,
  type ModelReply,
  type ModelSettings,
  modelSettingsSchema,
  type Price,
  priceSchema,
  totalTokens,
  type Usage,
} from '../model';
import type { Session } from '../session';
import { type BlobRef, blobRefSchema } from '../store';
import { callLimitsOf, deferredToolsSchema, isRestricting, pinnedAccessSchema, pinnedToolsSchema } from '../tool';
import type { WorkspaceState } from '../workspace';
import { outcomeTokens, type PendingOutcome } from './pending-outcome';
import type { Repetition } from './repetition';
import type { Continues } from './run-input';

/** Everything that is pinned when an agent is opened. Later edits of prompts, tools or skills don't affect it. */
export const openedAgentSchema = z.object({
  /** Id of the store that holds the run's data. Every activity compares it with its own store. */
  storeId: z.string(),
  prompt: blobRefSchema,
  tools: pinnedToolsSchema,
  /** The complete tool descriptions that are sent to the model. */
  toolList: blobRefSchema,
  /** Tools whose descriptions are not sent to the model until it finds them; omitted when there are none. */
  deferred: deferredToolsSchema.exactOptional(),
  /** Restricted and revoked tools; omitted when all tools are as the root agent has them. */
  access: pinnedAccessSchema.exactOptional(),
  /** Definitions of the prompts that the agent can dispatch. */
  prompts: blobRefSchema,
  /** Head of the transcript that contains only the opening entry. */
  opening: blobRefSchema,
  /** Whether the namespace has Baton's search attributes. Writing an unknown one would fail the workflow task. */
  searchAttributes: z.boolean(),
  /** Definitions of the skills that the agent can dispatch, pinned when the run started. */
  skills: blobRefSchema.exactOptional(),
  /** Set when the agent's prompt definition passes its transcript on to its delegations. */
  transcript: z.literal('full').exactOptional(),
  /** Name of the agent's skill; omitted when it has none. */
  skill: z.string().exactOptional(),
  /** Output format of the final message; omitted when it is free text. */
  output: blobRefSchema.exactOptional(),
  /** Estimated tokens of the context that the skill injected into the prompt. */
  injectedTokens: z.int().nonnegative().exactOptional(),
});
export type OpenedAgent = Readonly<z.infer<typeof openedAgentSchema>>;

/**
 * Changes that an operator made to an agent since it was opened, or a fallback to another model. The next model call
 * records them in the transcript.
 */
export const operatorChangesSchema = z.object({
  model: modelSettingsSchema.exactOptional(),
  maxTurns: z.int().positive().exactOptional(),
  /** The complete tool descriptions, if they differ from those the agent was opened with. */
  toolList: blobRefSchema.exactOptional(),
  deadline: z.iso.datetime().exactOptional(),
  /** Prices by model name, of models that an operator chose. */
  prices: z.record(z.string(), priceSchema).exactOptional(),
});
export type OperatorChanges = Readonly<z.infer<typeof operatorChangesSchema>>;

/** Everything that an agent carries over when it continues as new. Plain JSON. */
export interface AgentProgress {
  readonly opened: OpenedAgent;
  /** Head of the transcript. */
  readonly head: BlobRef;
  /** Number of model calls so far. Together with the execution, it identifies the next call. */
  readonly calls: number;
  /** Spending of the agent and its delegations, and reservations of the running delegations. */
  readonly ledger: Ledger;
  /** Number of delegations attempted so far; the ordinal of the next one. */
  readonly delegations: number;
  readonly session: Session;
  readonly workspace: WorkspaceState | null;
  /** Paths that other agents changed since this agent last read them. */
  readonly unseen: readonly string[];
  /** Context usage at the last model call, in tokens; 0 before the first. */
  readonly occupancy: number;
  /** Estimated tokens of all tool results so far. */
  readonly activeTokens: number;
  /** Outcomes of tool calls that the next model call sends. */
  readonly outcomes: readonly PendingOutcome[];
  /** Messages from the engine that the next model call sends. */
  readonly notes: readonly string[];
  /**
   * Part of the journal key. Incremented when an operator retries a step that failed because of the model's answer, so
   * that the step is not answered from the journal.
   */
  readonly tries: number;
  readonly handoffs: readonly HandoffRecord[];
  readonly changes: OperatorChanges;
  /** Whether the transcript already contains `changes`. */
  readonly changesTold: boolean;
  /** Whether the model has been asked to correct the format of its final message. */
  readonly repairing: boolean;
  /** Models that another one replaced, oldest first; omitted when there are none. */
  readonly fallbacks?: readonly FallbackRecord[];
  /** What this conversation has been told about resources that run low; omitted when nothing. */
  readonly told?: Told;
  /** How often the last turns were the same; omitted when the agent has not run tools yet, or is not watched. */
  readonly repetition?: Repetition;
  /** The turn of another run that this one continues from; omitted when it began by itself. */
  readonly continues?: Continues;
}

/** Returns the progress of an agent that has not called its model yet. */
export function initialProgress(
  opened: OpenedAgent,
  session: Session,
  workspace: WorkspaceState | null,
  budget: Allowance = {},
): AgentProgress {
  return {
    opened,
    session,
    workspace,
    unseen: [],
    delegations: 0,
    ledger: openLedger(withCallLimits(budget, opened)),
    head: opened.opening,
    calls: 0,
    occupancy: 0,
    activeTokens: 0,
    outcomes: [],
    notes: [],
    tries: 0,
    handoffs: [],
    changes: {},
    changesTold: true,
    repairing: false,
  };
}

/** Adds the limits on calls of single tools that the agent's access has to its budget. */
export function withCallLimits(budget: Allowance, { access }: OpenedAgent): Allowance {
  return access === undefined || !isRestricting(access)
    ? budget
    : { ...budget, calls: stricterCalls(budget.calls, callLimitsOf(access)) };
}

/** Returns the progress after a model call: the call is charged, and what it sent is no longer pending. */
export function afterReply(progress: AgentProgress, reply: ModelReply, price: Price | undefined): AgentProgress {
  return {
    ...progress,
    head: reply.head,
    calls: progress.calls + 1,
    ledger: charge(progress.ledger, spendingOf(reply.usage, price)),
    occupancy: totalTokens(reply.lastUsage ?? reply.usage),
    activeTokens: progress.activeTokens + outcomeTokens(progress.outcomes),
    outcomes: [],
    notes: [],
    changesTold: true,
  };
}

/** Returns the progress after a model call that failed although its requests were answered and have to be paid for. */
export function afterFailedCall(progress: AgentProgress, usage: Usage, price: Price | undefined): AgentProgress {
  return { ...progress, ledger: charge(progress.ledger, spendingOf(usage, price)) };
}

/** Maximum records of replaced models that an agent carries. A list of models to fall back to has at most eight. */
const maxFallbackRecords = 16;

/** Returns the progress of an agent that continues with another model, because the one it had can't be used. */
export function afterFallback(progress: AgentProgress, model: ModelSettings, record: FallbackRecord): AgentProgress {
  return {
    ...progress,
    changes: { ...progress.changes, model },
    changesTold: false,
    fallbacks: [...(progress.fallbacks ?? []), record].slice(-maxFallbackRecords),
  };
}

/** Returns what an agent itself spent, for a result that has the total. Empty if they are the same. */
export function ownSpending({ delegations, ledger }: AgentProgress): { readonly own?: Spending } {
  return delegations === 0 ? {} : { own: ledger.own };
}

const continueWhereCut = 'Your reply was cut off at the output limit. Continue exactly where it stopped.';
const callWasCut = 'Not run: the call was cut off at the output limit. Call the tool again with less input.';

/**
 * Prepares the next model call after an incomplete reply: text is continued where it was cut, cut tool calls are not
 * run.
 */
export function afterCutReply(progress: AgentProgress, reply: ModelReply): AgentProgress {
  // Tool calls without an outcome get one when the next request is built.
  if (reply.stopReason === 'paused' || reply.stopReason === 'toolCalls') return progress;
  if (reply.toolCalls.length > 0) {
    const outcomes = reply.toolCalls.map(({ id }) => ({ callId: id, isError: true, content: { text: callWasCut } }));
    return { ...progress, outcomes };
  }
  return { ...progress, notes: [...progress.notes, continueWhereCut] };
}

/** Part of every repair request, and of no other message to a model. */
export const wrongFormNotice = 'does not have the required form';

/**
 * Asks an agent, once, to correct a final message that violates its output format. In a separate file because workflow
 * code imports it and must not load an XML parser.
 */
export function repairRequest(violation: string): string {
  return [
    `Your final message ${wrongFormNotice}:`,
    '',
    violation,
    '',
    'Reply with the complete, corrected message only, in the form that your instructions define.',
  ].join('\n');
}

/** A completed handoff: the conversation that was discarded, and the artifact that replaced it. */
export const handoffRecordSchema = z.object({
  /** Number of the handoff, 1-based. */
  number: z.int().positive(),
  /** Name of the artifact. */
  artifact: z.string(),
  /** Context usage of the discarded conversation, in tokens. */
  discardedTokens: z.int().nonnegative(),
  /** Estimated tokens of the artifact. */
  artifactTokens: z.int().nonnegative(),
  /** Number of model calls before the handoff. */
  afterCall: z.int().nonnegative(),
  /** Time of the handoff, ISO 8601. */
  at: z.string(),
});
export type HandoffRecord = Readonly<z.infer<typeof handoffRecordSchema>>;
