import { z } from 'zod';
import type { Allowance, Spending } from '../budget';
import { firstIssue, InvalidInputError } from '../kernel';
import type { Usage } from '../model';
import type { DecisionRecord, Incident } from '../operator';
import type { BlobRef, SpilledText } from '../store';
import type { WorkspaceState } from '../workspace';
import { agentSettingsSchema } from './agent-settings';
import type { HandoffRecord } from './progress';

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

/** Result of a completed run. */
export interface RunResult {
  readonly answer: SpilledText;
  /** Number of model calls of the root agent. */
  readonly turns: number;
  /** Tokens used by the root agent itself. */
  readonly usage: Usage;
  /** Tokens used by its delegations. */
  readonly delegatedUsage: Usage;
  /** Total cost including delegations, in millionths of a US dollar; 0 when no price is known. */
  readonly microUsd: number;
  /** Head of the transcript. Its hash covers every byte that the model received and returned. */
  readonly transcript: BlobRef;
}

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
