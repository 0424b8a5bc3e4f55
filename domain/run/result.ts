import type { Allowance, Spending } from '../budget/allowance';
import type { HandoffRecord } from '../handoff/record';
import type { Usage } from '../model/usage';
import type { DecisionRecord, Incident } from '../operator/incident';
import type { BlobRef } from '../store/blob-ref';
import type { SpilledText } from '../store/spilled';
import type { WorkspaceState } from './progress';

/** What a finished run returns. */
export interface RunResult {
  readonly answer: SpilledText;
  readonly turns: number;
  readonly usage: Usage;
  /** What its delegations spent besides. */
  readonly delegatedUsage: Usage;
  /** What all of it cost, in millionths of a US dollar; 0 when no price is known. */
  readonly microUsd: number;
  /** Head of the transcript: commits to every byte that the model saw and said. */
  readonly transcript: BlobRef;
}

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

/** Answer of the query `snapshot`: where an agent stands now. */
export interface RunSnapshot {
  readonly runId: string;
  readonly status: RunStatus;
  readonly turn: number;
  readonly maxTurns: number;
  readonly model: string;
  readonly usage: Usage;
  readonly delegatedUsage: Usage;
  readonly delegations: number;
  /** Tokens of the window filled at the last call. */
  readonly occupancy: number;
  readonly window: number;
  /** What the run waits for, in a few words. */
  readonly waitingFor: string;
  readonly storeId: string | null;
  readonly prompt: BlobRef | null;
  readonly transcript: BlobRef | null;
  /** Name of the skill, for an agent that has one. */
  readonly skill: string | null;
  readonly paused: boolean;
  /** What waits for an operator here. */
  readonly incidents: readonly Incident[];
  /** How many agents below wait for an operator. */
  readonly parkedBelow: number;
  /** The last decisions that operators took about this agent. */
  readonly decisions: readonly DecisionRecord[];
  readonly handoffs: readonly HandoffRecord[];
  /** Its own spending; that of its delegations is `delegatedUsage` and in their own answers. */
  readonly spent: Spending;
  /** What it and everything below it may spend; null: unbounded. */
  readonly budget: Allowance | null;
  /** Estimated tokens of what was injected into its prompt, and of what it read with tools since. */
  readonly injectedTokens: number;
  readonly activeTokens: number;
}

/** Answer of the query `files`: what an agent made of its workspace, and the artifacts it has. */
export interface AgentFiles {
  readonly workspace: WorkspaceState | null;
  readonly artifacts: readonly { readonly name: string; readonly ref: BlobRef }[];
}
