import { z } from 'zod';
import { type Allowance, type Spending, spendingSchema } from '../budget';
import { firstIssue, InvalidInputError, uncheckedObject } from '../kernel';
import { type Usage, usageSchema } from '../model';
import { type DecisionRecord, type Incident, operatorStateSchema } from '../operator';
import { type BlobRef, blobRefSchema, spilledTextSchema } from '../store';
import type { WorkspaceState } from '../workspace';
import { agentSettingsSchema } from './agent-settings';
import type { AgentProgress, HandoffRecord } from './progress';

/** Maximum bytes of a goal in UTF-8. */
const maxGoalBytes = 16 * 1024;

/** Input of the root workflow. It has no defaults, so that history records every setting explicitly. */
export const runInputSchema = agentSettingsSchema.extend({
  goal: z
    .string()
    .refine((goal) => goal.trim() !== '', 'must not be empty')
    .refine((goal) => new TextEncoder().encode(goal).length <= maxGoalBytes, `must be at most ${maxGoalBytes} bytes`),
  /** Folder that is imported when the run starts; a path on the worker's machine. */
  workspace: z.strictObject({ root: z.string().min(1).max(4096) }).optional(),
});
/** Input of a run, complete: there are no defaults. `parseRunInput` checks it. */
export type RunInput = z.infer<typeof runInputSchema>;

/** Validates a run's input. Throws an `InvalidInputError` for the first invalid field. */
export function parseRunInput(value: unknown): RunInput {
  const parsed = runInputSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const { field, reason } = firstIssue(parsed.error);
  throw new InvalidInputError(field, reason, 'Correct this value and start the run again.');
}

/** State that an agent passes to its next execution with continue-as-new. */
export const resumedAgentSchema = z.object({
  /** Not checked: it contains the whole session, and only an earlier execution of the same agent writes it. */
  progress: uncheckedObject<AgentProgress>(),
  desk: operatorStateSchema,
});
export type ResumedAgent = Readonly<z.infer<typeof resumedAgentSchema>>;

/** A run's input and, after continue-as-new, the progress of its root agent. */
export type RunStart = RunInput & { readonly resume?: ResumedAgent };

const uncheckedRunStart = uncheckedObject<RunStart>();

/**
 * Reads the start argument of a run's workflow. A client may start a workflow with any value. It is not checked here,
 * and a value that is not an object becomes one, so that an invalid input fails in the activity `openRun`.
 */
export function readRunStart(start: unknown): RunStart {
  return uncheckedRunStart.parse(Object(start));
}

/** Result of a completed run. */
export const runResultSchema = z.object({
  answer: spilledTextSchema,
  /** Number of model calls of the root agent. */
  turns: z.int().nonnegative(),
  /** Tokens used by the root agent itself. */
  usage: usageSchema,
  /** Tokens used by its delegations. */
  delegatedUsage: usageSchema,
  /** Total cost including delegations, in millionths of a US dollar; 0 when no price is known. */
  microUsd: z.int().nonnegative(),
  /** Head of the transcript. Its hash covers every byte that the model received and returned. */
  transcript: blobRefSchema,
});
export type RunResult = Readonly<z.infer<typeof runResultSchema>>;

/** Details of the failure that closes an agent. */
export const agentFailureDetailsSchema = z.object({
  /** Number of the agent's model calls. */
  turns: z.int().nonnegative(),
  /** Spending of the agent and its delegations together; null when the agent never began. */
  spent: spendingSchema.nullable(),
  /** Head of the transcript; null when the agent never began. */
  transcript: blobRefSchema.nullable(),
});
export type AgentFailureDetails = Readonly<z.infer<typeof agentFailureDetailsSchema>>;

/** What an agent is currently doing, or how it ended. */
export type RunStatus =
  | 'starting'
  | 'thinking'
  | 'running tools'
  | 'handing over'
  | 'paused'
  | 'needs operator'
  | 'completed'
  | 'failed'
  | 'cancelled';

/** Result of the query `snapshot`: an agent's current status. */
export interface StatusSnapshot {
  readonly runId: string;
  readonly status: RunStatus;
  readonly turn: number;
  readonly maxTurns: number;
  readonly model: string;
  readonly usage: Usage;
  readonly delegatedUsage: Usage;
  readonly delegations: number;
  /** Context usage at the last model call, in tokens. */
  readonly occupancy: number;
  /** Size of the context window in tokens. */
  readonly window: number;
  /** What the agent is waiting for, in a few words. */
  readonly waitingFor: string;
  readonly storeId: string | null;
  readonly prompt: BlobRef | null;
  readonly transcript: BlobRef | null;
  /** Name of the agent's skill; null when it has none. */
  readonly skill: string | null;
  readonly paused: boolean;
  /** Open incidents of this agent. */
  readonly incidents: readonly Incident[];
  /** Number of agents below this one that are waiting for an operator. */
  readonly parkedBelow: number;
  /** The most recent operator decisions about this agent. */
  readonly decisions: readonly DecisionRecord[];
  readonly handoffs: readonly HandoffRecord[];
  /** Spending of this agent alone, without its delegations. */
  readonly spent: Spending;
  /** Maximum spending of this agent and everything below it; null when unlimited. */
  readonly budget: Allowance | null;
  /** Estimated tokens of the context that a skill injected into the prompt. */
  readonly injectedTokens: number;
  /** Estimated tokens of all tool results so far. */
  readonly activeTokens: number;
}

/** Result of the query `files`: an agent's workspace and artifacts. */
export interface AgentFiles {
  readonly workspace: WorkspaceState | null;
  readonly artifacts: readonly { readonly name: string; readonly ref: BlobRef }[];
}
