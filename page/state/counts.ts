import type { ViewState } from '../../client/view/run-view';

/** States in the order of attention. */
export const states: readonly ViewState[] = [
  'needs you',
  'failed',
  'paused',
  'running',
  'waiting',
  'queued',
  'completed',
  'skipped',
  'cancelled',
  'unknown',
];

/** Number of agents by state. */
export type Counts = Readonly<Partial<Record<ViewState, number>>>;

/** Moves an agent from one state to another. Null: it was or is not counted. */
export function moved(counts: Counts, from: ViewState | null, to: ViewState | null): Counts {
  const changed = { ...counts };
  if (from !== null) changed[from] = (changed[from] ?? 0) - 1;
  if (to !== null) changed[to] = (changed[to] ?? 0) + 1;
  return changed;
}

/** Number of all agents. */
export function totalOf(counts: Counts): number {
  return states.reduce((sum, state) => sum + (counts[state] ?? 0), 0);
}

/** States that occur, in the order of attention. */
export function present(counts: Counts): { readonly state: ViewState; readonly count: number }[] {
  return states.flatMap((state) => {
    const count = counts[state] ?? 0;
    return count > 0 ? [{ state, count }] : [];
  });
}
