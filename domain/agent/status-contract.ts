import { z } from 'zod';
import { allowanceSchema, spendingSchema } from '../budget';
import { commandSettingsSchema } from '../command';
import { queryContract, type ResultOf, uncheckedObject } from '../kernel';
import { fallbackRecordSchema, usageSchema } from '../model';
import { decisionRecordSchema, incidentSchema } from '../operator';
import type { Session } from '../session';
import { blobRefSchema } from '../store';
import { workspaceStateSchema } from '../workspace';
import { handoffRecordSchema } from './progress';
import { continuesSchema } from './run-input';

/** What an agent is currently doing, or how it ended. */
const runStatusSchema = z.enum([
  'starting',
  'thinking',
  'running tools',
  'handing over',
  'paused',
  'needs operator',
  'completed',
  'failed',
  'cancelled',
]);
export type RunStatus = z.infer<typeof runStatusSchema>;

const count = z.int().nonnegative();

/** The progress of a relay, step by step. */
const relayStatusSchema = z.object({
  name: z.string(),
  /** Number of the current step, 1-based. After the last step, it is one more than there are steps. */
  at: z.int().positive(),
  steps: z
    .array(
      z.object({
        name: z.string(),
        /** How many times the step has completed. */
        completed: count,
        /** Number of the current round, 1-based; omitted unless the step is at work. */
        round: z.int().positive().exactOptional(),
        /** Items of the current round, or of the last one; omitted for a step without items. */
        items: z.object({ done: count, of: count }).exactOptional(),
      }),
    )
    .readonly(),
});
/** The progress of a relay, step by step. */
export type RelayStatus = Readonly<z.infer<typeof relayStatusSchema>>;

/** Describes where a relay is: `step 3 of 4: review, round 2, 5 of 9 items`. */
export function formatRelayStatus({ at, steps }: RelayStatus): string {
  const step = steps[at - 1];
  if (step === undefined) return `all ${steps.length} steps`;
  const { name, round = 1, items } = step;
  return [
    `step ${at} of ${steps.length}: ${name}`,
    ...(round === 1 ? [] : [`round ${round}`]),
    ...(items === undefined ? [] : [`${items.done} of ${items.of} items`]),
  ].join(', ');
}

export const snapshotContract = queryContract('snapshot', {
  description:
    "Returns the agent's status: turn, spending, context usage, open incidents, recent decisions, and what it is waiting for.",
  result: z.object({
    runId: z.string(),
    status: runStatusSchema,
    turn: z.int().nonnegative(),
    maxTurns: z.int().nonnegative(),
    model: z.string(),
    usage: usageSchema,
    delegatedUsage: usageSchema,
    delegations: z.int().nonnegative(),
    /** Context usage at the last model call, in tokens. */
    occupancy: z.int().nonnegative(),
    /** Size of the context window in tokens. */
    window: z.int().nonnegative(),
    /** What the agent is waiting for, in a few words. */
    waitingFor: z.string(),
    storeId: z.string().nullable(),
    prompt: blobRefSchema.nullable(),
    transcript: blobRefSchema.nullable(),
    /** Name of the agent's skill; null when it has none. */
    skill: z.string().nullable(),
    /** What the agent's commands may do; omitted when it may not run any. */
    commands: commandSettingsSchema.exactOptional(),
    paused: z.boolean(),
    /** Open incidents of this agent, oldest first, at most 100. */
    incidents: z.array(incidentSchema).readonly(),
    /** Number of open incidents that are not listed; omitted when there are none. */
    moreIncidents: z.int().positive().exactOptional(),
    /** Number of agents below this one that are waiting for an operator. */
    parkedBelow: z.int().nonnegative(),
    /** The most recent operator decisions about this agent. */
    decisions: z.array(decisionRecordSchema).readonly(),
    handoffs: z.array(handoffRecordSchema).readonly(),
    /** Models that another one replaced, oldest first; omitted when there are none. */
    fallbacks: z.array(fallbackRecordSchema).readonly().exactOptional(),
    /** Spending of this agent alone, without its delegations. */
    spent: spendingSchema,
    /** Spending of its delegations that have ended, with everything below them; omitted when there is none. */
    delegated: spendingSchema.exactOptional(),
    /** Parts of the budget that are reserved for running delegations; omitted when there are none. */
    reserved: allowanceSchema.exactOptional(),
    /** Maximum spending of this agent and everything below it; null when unlimited. */
    budget: allowanceSchema.nullable(),
    /** Estimated tokens of the context that a skill injected into the prompt. */
    injectedTokens: z.int().nonnegative(),
    /** Estimated tokens of all tool results so far. */
    activeTokens: z.int().nonnegative(),
    /** Number of tools whose descriptions are not sent to the model; omitted when there are none. */
    deferredTools: z.int().positive().exactOptional(),
    /** Steps and rounds of a relay; omitted by any other agent. */
    relay: relayStatusSchema.exactOptional(),
    /** The turn of another run that this one continues from; omitted when it began by itself. */
    continues: continuesSchema.exactOptional(),
  }),
});
/** Result of the query `snapshot`: an agent's current status. */
export type StatusSnapshot = Readonly<ResultOf<typeof snapshotContract>>;

export const filesContract = queryContract('files', {
  description: "Returns the agent's workspace and artifacts, as refs into the store.",
  result: z.object({
    workspace: workspaceStateSchema.nullable(),
    artifacts: z.array(z.object({ name: z.string(), ref: blobRefSchema })).readonly(),
  }),
});
/** Result of the query `files`: an agent's workspace and artifacts. */
export type AgentFiles = Readonly<ResultOf<typeof filesContract>>;

export const sessionContract = queryContract('session', {
  description:
    "Returns the session of an agent, or of the host of a shared session. While an agent's session is shared, `host` is the workflow id of its host, which answers the same query with the newest version; the agent itself knows the version of the host's last reply, or of before its batch.",
  result: uncheckedObject<SessionView>(),
});

/** Result of the query `session`. */
export interface SessionView extends Session {
  /** Workflow id of the host; omitted unless the session is shared at the moment, and by the host itself. */
  readonly host?: string;
}
