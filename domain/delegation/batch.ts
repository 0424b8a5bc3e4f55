import type { BlobRef } from '../store/blob-ref';
import type { SpilledText } from '../store/spilled';

/**
 * A delegation of a batch that is ready to start: its prompt is stored. Values common to the batch are not repeated
 * here.
 */
export interface ReadyItem {
  readonly ok: true;
  readonly delegationId: string;
  readonly prompt: BlobRef;
  readonly opening: BlobRef;
  readonly mayDelegate: boolean;
  readonly headline: string;
}

/** A delegation whose prompt could not be composed. `error` becomes its result. */
export interface RefusedItem {
  readonly ok: false;
  readonly delegationId: string;
  readonly error: string;
}

/** One delegation of a batch after preparation. */
export type BatchItem = ReadyItem | RefusedItem;

/** A prepared part of a batch, or the reason why the whole batch was refused. */
export type PreparedBatch =
  | {
      readonly ok: true;
      /** Number of delegations in the whole batch. */
      readonly total: number;
      readonly items: readonly BatchItem[];
      /** Tool list of the delegations that may not delegate further. */
      readonly lastLevelTools: BlobRef;
    }
  | { readonly ok: false; readonly message: string };

/** The result of one delegation of a batch. */
export interface SubagentResult {
  readonly delegationId: string;
  readonly success: boolean;
  readonly output: SpilledText;
  readonly error: string | null;
}

/** Renders one result as the parent's model sees it. */
export function renderResult(
  { success, error }: SubagentResult,
  output: string,
  position: number,
  total: number,
): string {
  const heading = `[${position} of ${total}] ${success ? 'succeeded' : 'failed'}`;
  return `${heading}\n${success ? output : (error ?? 'no reason given')}`;
}

/** Renders the first line of a batch's results: how many delegations succeeded and failed. */
export function renderHeading(results: readonly Pick<SubagentResult, 'success'>[]): string {
  const failed = results.filter(({ success }) => !success).length;
  const all = `${results.length} ${results.length === 1 ? 'delegation' : 'delegations'}`;
  if (failed === results.length) return `All ${all} failed.`;
  return failed === 0 ? `All ${all} succeeded.` : `${all}: ${results.length - failed} succeeded, ${failed} failed.`;
}
