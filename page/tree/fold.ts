import type { ViewState } from '../../client/view/run-view';
import { states } from '../state/counts';

/** An agent of a group: a batch, or the agents that a parent started one by one. */
export interface Member {
  readonly path: string;
  readonly state: ViewState;
}

/** Maximum of agents of a state that are shown one by one. */
const shownOf: Readonly<Record<ViewState, number>> = {
  // Nobody who needs a decision is folded.
  'needs you': Infinity,
  paused: 20,
  running: 20,
  waiting: 20,
  queued: 0,
  failed: 5,
  completed: 5,
  skipped: 5,
  cancelled: 5,
  unknown: 5,
};
/** States of which either all agents are shown or none. */
export const allOrNone: readonly ViewState[] = ['failed', 'completed', 'skipped', 'cancelled', 'unknown'];

/** Maximum of agents outside of batches that are shown without folding. */
const looseLimit = 20;

/** Chooses the agents of a group that are shown one by one, in their order. */
function chooseShown(members: readonly Member[], kind: 'batch' | 'loose'): string[] {
  if (kind === 'loose' && members.length <= looseLimit) return members.map(({ path }) => path);
  const sizes = new Map(states.map((state) => [state, members.filter((member) => member.state === state).length]));
  const shown = new Map<ViewState, number>();
  return members.flatMap(({ path, state }) => {
    const count = shown.get(state) ?? 0;
    shown.set(state, count + 1);
    const isFull = allOrNone.includes(state) ? (sizes.get(state) ?? 0) > shownOf[state] : count >= shownOf[state];
    return isFull ? [] : [path];
  });
}

/** A group as it is shown. Rows that are shown stay in their place, whatever happens to their agents, until `tidy`. */
export interface GroupLayout {
  readonly shown: readonly string[];
  /** States that have a fold row, in the order of the rows. */
  readonly folds: readonly ViewState[];
}

/** Lays a group out anew. */
export function layOut(members: readonly Member[], kind: 'batch' | 'loose'): GroupLayout {
  const shown = chooseShown(members, kind);
  return { shown, folds: foldsOf(members, new Set(shown), []) };
}

/**
 * Keeps a layout, and adds what must not be missing: agents that need a decision now, new agents while there are few, and
 * rows for states that had none.
 */
export function keepLayout(
  layout: GroupLayout,
  members: readonly Member[],
  kind: 'batch' | 'loose',
  known: ReadonlySet<string>,
): GroupLayout {
  const shown = [...layout.shown];
  const isShown = new Set(shown);
  for (const { path, state } of members) {
    if (isShown.has(path)) continue;
    const isNew = !known.has(path) && shown.length < looseLimit && (kind === 'loose' || state !== 'queued');
    if (state !== 'needs you' && !isNew) continue;
    shown.push(path);
    isShown.add(path);
  }
  return { shown, folds: foldsOf(members, isShown, layout.folds) };
}

function foldsOf(members: readonly Member[], shown: ReadonlySet<string>, kept: readonly ViewState[]): ViewState[] {
  const hidden = new Set(members.filter(({ path }) => !shown.has(path)).map(({ state }) => state));
  return [...kept, ...states.filter((state) => hidden.has(state) && !kept.includes(state))];
}
