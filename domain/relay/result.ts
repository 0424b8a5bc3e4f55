import type { RunResult } from '../run/result';

/** What a finished relay returns: like a run, its answer is the final message of its last step. */
export interface RelayResult extends RunResult {
  readonly relay: string;
  /** How often each step was carried out, and for how many items the last time. */
  readonly steps: readonly { readonly name: string; readonly rounds: number; readonly items: number }[];
}
