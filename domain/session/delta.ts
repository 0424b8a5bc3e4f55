import type { JsonObject } from '../kernel';
import { canonicalText, freezeList, type Records, toFrozenList } from './frozen-records';
import { recordsOfSlice, type Session, toFrozenSession } from './session';
import { DeltaMismatchError } from './session-errors';

/** One piece of a new list: `keep: [start, count]` records of the old list, or records to `add`. */
type ListEdit = { readonly keep: readonly [number, number] } | { readonly add: Records };

/** The difference between two versions of a session. It is small for small changes, wherever in a list they are. */
export interface SessionDelta {
  readonly from: number;
  readonly to: number;
  /** Only the slices that differ. */
  readonly slices: Readonly<Record<string, readonly ListEdit[]>>;
}

/** Computes the delta between two versions of a session. Both must have the same schema. */
export function deltaBetween(before: Session, after: Session): SessionDelta {
  const changed = Object.keys(after.slices)
    .sort()
    .flatMap((name) => {
      const [old, now] = [recordsOfSlice(before, name), recordsOfSlice(after, name)];
      const edits = old === now ? [] : editsBetween(toFrozenList(old), toFrozenList(now));
      return isWhole(edits, old, now) ? [] : [[name, edits] as const];
    });
  return { from: before.version, to: after.version, slices: Object.fromEntries(changed) };
}

/**
 * Applies a delta and returns the later session. Throws a `DeltaMismatchError` if the delta starts from another
 * version.
 */
export function applyDelta(session: Session, delta: SessionDelta): Session {
  if (session.version !== delta.from) throw new DeltaMismatchError(delta.from, session.version);
  const own = toFrozenSession(session);
  const changed = Object.entries(delta.slices).map(([name, edits]) => {
    const old = recordsOfSlice(own, name);
    const pieces = edits.map((edit) => ('add' in edit ? toFrozenList(edit.add) : kept(old, edit.keep)));
    return [name, freezeList(pieces.flat())] as const;
  });
  return { version: delta.to, slices: { ...own.slices, ...Object.fromEntries(changed) } };
}

/** Returns the delta since a version; undefined when that version is not remembered and the whole session is needed. */
export function changesSince(remembered: readonly Session[], now: Session, since: number): SessionDelta | undefined {
  const before = since === now.version ? now : remembered.find(({ version }) => version === since);
  return before === undefined ? undefined : deltaBetween(before, now);
}

function kept(old: Records, [start, count]: readonly [number, number]): Records {
  return old.slice(start, start + count);
}

/** Looks up every new record in the old list, and joins records that are adjacent in both into one edit. */
function editsBetween(old: Records, now: Records): readonly ListEdit[] {
  const places = new Map(old.map((record, index) => [canonicalText(record), index]));
  const edits: ({ keep: [number, number] } | { add: JsonObject[] })[] = [];
  now.forEach((record, index) => {
    const last = edits.at(-1);
    const place = old[index] === record ? index : places.get(canonicalText(record));
    if (place === undefined) {
      if (last !== undefined && 'add' in last) last.add.push(record);
      else edits.push({ add: [record] });
    } else if (last !== undefined && 'keep' in last && last.keep[0] + last.keep[1] === place) last.keep[1] += 1;
    else edits.push({ keep: [place, 1] });
  });
  return edits;
}

function isWhole(edits: readonly ListEdit[], old: Records, now: Records): boolean {
  if (old === now) return true;
  const only = edits.length === 1 ? edits[0] : undefined;
  if (only === undefined) return old.length === 0 && now.length === 0;
  return 'keep' in only && only.keep[0] === 0 && only.keep[1] === old.length;
}
