import type { Usage } from '../model/usage';
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
  /** Head of the transcript: commits to every byte that the model saw and said. */
  readonly transcript: BlobRef;
}

export type RunStatus = 'starting' | 'thinking' | 'running tools' | 'completed' | 'failed' | 'cancelled';

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
}

/** Answer of the query `files`: what an agent made of its workspace, and the artifacts it has. */
export interface AgentFiles {
  readonly workspace: WorkspaceState | null;
  readonly artifacts: readonly { readonly name: string; readonly ref: BlobRef }[];
}
