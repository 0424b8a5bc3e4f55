import type { AgentRow, Figures, ViewSegment } from '../../client/view/run-view';
import type { AgentChange } from '../protocol';

const nothing: Figures = {
  turns: 0,
  usage: { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 },
  microUsd: 0,
};

/** Makes the row of an agent from the change that added it. */
export function newAgent(change: AgentChange): AgentRow {
  const above = change.path.lastIndexOf('/');
  return {
    parent: change.path === '' ? null : change.path.slice(0, Math.max(0, above)),
    headline: '',
    role: null,
    model: null,
    state: 'unknown',
    detail: '',
    failure: null,
    turn: 0,
    maxTurns: null,
    own: nothing,
    withDelegations: nothing,
    startedAt: 0,
    endedAt: null,
    batch: null,
    segments: [],
    ...change,
  };
}

/** Applies a change to an agent. */
export function withChange(row: AgentRow, change: AgentChange): AgentRow {
  const { segments, ...fields } = change;
  if (segments === undefined) return { ...row, ...fields };
  // After a reset, all segments are sent.
  const all = change.replaced === undefined ? merge(row.segments, segments) : segments;
  return { ...row, ...fields, segments: all };
}

/** Adds segments. One of the same beginning and kind is replaced, or else one of that kind whose end was not known. */
function merge(old: readonly ViewSegment[], added: readonly ViewSegment[]): readonly ViewSegment[] {
  const merged = [...old];
  for (const segment of added) {
    const at = placeOf(merged, segment);
    if (at === -1) merged.push(segment);
    else merged[at] = segment;
  }
  return merged;
}

/** Looks from the end: almost always it is the last one. */
function placeOf(all: readonly ViewSegment[], { from, kind }: ViewSegment): number {
  let open = -1;
  for (let at = all.length - 1; at >= 0; at--) {
    const known = all[at];
    if (known?.kind !== kind) continue;
    if (known.from === from) return at;
    if (known.to === null) open = Math.max(open, at);
  }
  return open;
}
