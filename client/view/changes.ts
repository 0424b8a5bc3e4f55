import type { AgentChange, AgentRow, ViewSegment } from './run-view';

/** Applies a change to a row. The first change of an agent has all fields of its row. */
export function applyChange(row: AgentRow | undefined, change: AgentChange): AgentRow {
  const known = row ?? (change as AgentRow);
  return { ...known, ...change, segments: joined(row?.segments ?? [], change) };
}

/** Combines two changes of one agent: applying the result equals applying one after the other. */
export function mergeChanges(earlier: AgentChange | undefined, later: AgentChange): AgentChange {
  if (earlier === undefined) return later;
  const segments =
    earlier.segments === undefined && later.segments === undefined
      ? {}
      : { segments: joined(earlier.segments ?? [], later) };
  return { ...earlier, ...later, ...segments };
}

function joined(known: readonly ViewSegment[], { segments, replaced }: AgentChange): readonly ViewSegment[] {
  if (segments === undefined) return known;
  if (replaced !== undefined) return segments;
  const all = [...known];
  for (const segment of segments) {
    const at = lastLike(all, segment);
    if (at === -1) all.push(segment);
    else all[at] = segment;
  }
  return all;
}

/**
 * Finds the segment that another one replaces: that of the same time, or else the open one. In this order, so that segments
 * that are known may be sent again.
 */
function lastLike(all: readonly ViewSegment[], { from, kind }: ViewSegment): number {
  let open = -1;
  // From the end, because it is nearly always the last one that changes.
  for (let at = all.length - 1; at >= 0; at -= 1) {
    const known = all[at];
    if (known?.kind !== kind) continue;
    if (known.from === from) return at;
    if (known.to === null) open = Math.max(open, at);
  }
  return open;
}
