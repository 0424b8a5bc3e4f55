import type { Usage } from '../model/usage';
import type { BlobRef } from '../store/blob-ref';
import type { SpilledText } from '../store/spilled';

/** What a finished run returns. */
export interface RunResult {
  readonly answer: SpilledText;
  readonly turns: number;
  readonly usage: Usage;
  /** Head of the transcript: commits to every byte that the model saw and said. */
  readonly transcript: BlobRef;
}

export type RunStatus = 'starting' | 'thinking' | 'running tools' | 'completed' | 'failed' | 'cancelled';

/** Answer of the query `snapshot`: where the run stands now. */
export interface RunSnapshot {
  readonly runId: string;
  readonly status: RunStatus;
  readonly turn: number;
  readonly maxTurns: number;
  readonly model: string;
  readonly usage: Usage;
  /** Tokens of the window filled at the last call. */
  readonly occupancy: number;
  readonly window: number;
  /** What the run waits for, in a few words. */
  readonly waitingFor: string;
  readonly storeId: string | null;
  readonly prompt: BlobRef | null;
  readonly transcript: BlobRef | null;
}
