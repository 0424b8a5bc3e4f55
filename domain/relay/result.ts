import type { RunResult } from '../agent/result';

/** Result of a completed relay. Its answer is the final message of the last step. */
export interface RelayResult extends RunResult {
  readonly relay: string;
  /** For each step, the number of rounds and the number of items in the last round. */
  readonly steps: readonly { readonly name: string; readonly rounds: number; readonly items: number }[];
}
