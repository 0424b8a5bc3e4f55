import type { BlobRef } from '../store/blob-ref';
import type { SpilledText } from '../store/spilled';

/** One delegation of a batch whose prompt stands in the store. What all of them have in common is not repeated here. */
export interface ReadyItem {
  readonly ok: true;
  readonly delegationId: string;
  readonly prompt: BlobRef;
  readonly opening: BlobRef;
  readonly mayDelegate: boolean;
  readonly headline: string;
}

/** A delegation whose prompt could not be composed: its entry in the results says why. */
export interface RefusedItem {
  readonly ok: false;
  readonly delegationId: string;
  readonly error: string;
}

export type BatchItem = ReadyItem | RefusedItem;

/** A part of a batch, or why there is none. */
export type PreparedBatch =
  | {
      readonly ok: true;
      readonly total: number;
      readonly items: readonly BatchItem[];
      /** The tools of those that may not delegate. */
      readonly lastLevelTools: BlobRef;
    }
  | { readonly ok: false; readonly message: string };

/** What one subagent came to. */
export interface SubagentResult {
  readonly delegationId: string;
  readonly success: boolean;
  readonly output: SpilledText;
  readonly error: string | null;
}

/** As it is shown to the delegating model. */
export function renderResult(
  { success, error }: SubagentResult,
  output: string,
  position: number,
  total: number,
): string {
  const heading = `[${position} of ${total}] ${success ? 'succeeded' : 'failed'}`;
  return `${heading}\n${success ? output : (error ?? 'no reason given')}`;
}

export function renderHeading(results: readonly Pick<SubagentResult, 'success'>[]): string {
  const failed = results.filter(({ success }) => !success).length;
  const all = `${results.length} ${results.length === 1 ? 'delegation' : 'delegations'}`;
  if (failed === results.length) return `All ${all} failed.`;
  return failed === 0 ? `All ${all} succeeded.` : `${all}: ${results.length - failed} succeeded, ${failed} failed.`;
}
