import type { ConversationEntry } from '../../client/conversation/conversation';

/** Entries that are asked for at once. */
export const pageSize = 50;
/** Most entries that are kept. Pages at the other end are dropped, and are loaded again when they are needed. */
export const maxEntries = 500;

/** The part of a conversation that is loaded: entries without a gap, by position. */
export interface EntryList {
  readonly entries: readonly ConversationEntry[];
  /** Number of all entries that are known to exist. */
  readonly total: number;
}

export const emptyList: EntryList = { entries: [], total: 0 };

/** Position of the first and behind the last loaded entry. */
export function loadedRange({ entries }: EntryList): { readonly from: number; readonly to: number } {
  const first = entries[0];
  return first === undefined ? { from: 0, to: 0 } : { from: first.position, to: first.position + entries.length };
}

export function hasOlder(list: EntryList): boolean {
  return loadedRange(list).from > 0;
}

export function hasNewer(list: EntryList): boolean {
  return loadedRange(list).to < list.total;
}

/**
 * Adds entries. Those with a known position replace the old ones; those that would leave a gap are only counted. Beyond
 * `maxEntries`, entries are dropped at the end that the reader is away from.
 */
export function withEntries(
  list: EntryList,
  added: readonly ConversationEntry[],
  total: number,
  dropAt: 'start' | 'end',
): EntryList {
  const known = new Map(list.entries.map((entry) => [entry.position, entry]));
  const { from, to } = loadedRange(list);
  const isEmpty = list.entries.length === 0;
  const fitting = added.filter(({ position }) => isEmpty || touches(position, from, to, added));
  for (const entry of fitting) known.set(entry.position, entry);
  const entries = [...known.values()].sort((a, b) => a.position - b.position);
  return {
    entries: limited(entries, dropAt),
    total: Math.max(total, list.total, (entries.at(-1)?.position ?? -1) + 1),
  };
}

/** Whether an entry is within the loaded range, or joined to it by other entries that are added. */
function touches(position: number, from: number, to: number, added: readonly ConversationEntry[]): boolean {
  if (position >= from && position < to) return true;
  const given = new Set(added.map((entry) => entry.position));
  const [start, end, step] = position >= to ? [to, position, 1] : [from - 1, position, -1];
  for (let each = start; each !== end + step; each += step) if (!given.has(each)) return false;
  return true;
}

function limited(entries: readonly ConversationEntry[], dropAt: 'start' | 'end'): readonly ConversationEntry[] {
  if (entries.length <= maxEntries) return entries;
  // Whole pages, so that not every new entry moves the beginning.
  const kept = maxEntries - pageSize;
  return dropAt === 'start' ? entries.slice(-kept) : entries.slice(0, kept);
}

/** Number of turns among entries at or behind a position. */
export function turnsFrom(entries: readonly ConversationEntry[], position: number): number {
  return entries.filter((entry) => entry.kind === 'turn' && entry.position >= position).length;
}

/** Id of an entry in the page, and what `t=` in an address names it: `12`, or `12.1` for a replaced version. */
export function turnName(entry: { readonly turn: number; readonly replaced?: number }): string {
  return entry.replaced === undefined ? `${entry.turn}` : `${entry.turn}.${entry.replaced}`;
}
