import { neutralizeMarkers, truncateText, utf8 } from '../kernel';
import { bytesOfList, type Records, toFrozenList } from './frozen-records';
import { maxSummaryLength } from './plain-json';
import type { EventFailure } from './session-errors';
import type { SessionSchema } from './session-schema';
import type { Slice } from './slice';

/** The state that agents share: named slices, each a list of typed records. Changed only by events. Plain JSON. */
export interface Session {
  /** Number of events applied so far. */
  readonly version: number;
  /** Records by slice name. */
  readonly slices: Readonly<Record<string, Records>>;
}

/** The result of applying one event. */
export type EventResult =
  | { readonly status: 'applied'; readonly version: number }
  /** An event of the agent loop that no slice handles. */
  | { readonly status: 'ignored' }
  | { readonly status: 'failed'; readonly failure: EventFailure };

/** Creates a session without records. */
export function emptySession(schema: SessionSchema): Session {
  return toFrozenSession({ version: 0, slices: Object.fromEntries(schema.slices.map(({ name }) => [name, []])) });
}

/** Returns the typed records of a slice. Empty for a session that is older than the slice. */
export function recordsOf<R>(session: Pick<Session, 'slices'>, slice: Slice<R>): readonly R[] {
  return recordsOfSlice(session, slice.name) as unknown as readonly R[];
}

const none: Records = Object.freeze([]);

/** Returns the records of a slice by its name; empty when the session does not have the slice. */
export function recordsOfSlice(session: Pick<Session, 'slices'>, name: string): Records {
  return Object.hasOwn(session.slices, name) ? (session.slices[name] ?? none) : none;
}

/**
 * Returns the slices that have records, by name, sorted. Everything that a run records or decides depends only on these:
 * whether a session lists an empty slice depends on the worker's version.
 */
export function slicesWithRecords(session: Pick<Session, 'slices'>): readonly (readonly [string, Records])[] {
  return Object.entries(session.slices)
    .filter(([, records]) => records.length > 0)
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Sessions whose lists are frozen, and which are frozen themselves, so that they stay so. */
const frozenSessions = new WeakSet<Session>();

/** Freezes a session whose lists are frozen. */
export function frozenSession(session: Session): Session {
  Object.freeze(session.slices);
  frozenSessions.add(Object.freeze(session));
  return session;
}

/**
 * Returns the session itself if it is frozen as a whole, and an equal one otherwise. Copies only lists that this module
 * did not freeze itself.
 */
export function toFrozenSession(session: Session): Session {
  if (frozenSessions.has(session)) return session;
  const lists = Object.entries(session.slices).map(([name, records]) => [name, toFrozenList(records)] as const);
  return frozenSession({ version: session.version, slices: Object.fromEntries(lists) });
}

/** Returns the size of the session's canonical JSON without empty slices in bytes, and the name of the largest slice. */
export function measureSession(session: Session): { readonly bytes: number; readonly largest: string } {
  const sizes = slicesWithRecords(session).map(([name, records]) => ({
    name,
    bytes: utf8(JSON.stringify(name)).length + 1 + bytesOfList(records),
  }));
  const commas = Math.max(0, sizes.length - 1);
  const frame = `{"slices":{},"version":${session.version}}`.length;
  const largest = sizes.reduce((most, next) => (next.bytes > most.bytes ? next : most), { name: '', bytes: 0 });
  return { bytes: sizes.reduce((sum, { bytes }) => sum + bytes, frame + commas), largest: largest.name };
}

const maxLineLength = 240;
const maxLinesPerSlice = 40;
/** Slices that come first, because a summary that is too long is cut at the end. Other slices follow by name. */
const important = ['plan', 'notes', 'artifacts', 'files'];

/**
 * Summarizes a session for the prompt of a delegation that starts from it, in a few lines per slice. Line breaks and
 * markers within a record's text are removed or quoted, so that no note can make a prompt impossible to compose.
 */
export function summarizeSnapshot(schema: SessionSchema, snapshot: Pick<Session, 'slices'>): string {
  const rank = ({ name }: Slice): number => (important.includes(name) ? important.indexOf(name) : important.length);
  const slices = [...schema.slices].sort((a, b) => rank(a) - rank(b));
  const lines = slices.flatMap((slice) => linesOf(slice, snapshot));
  if (lines.length === 0) return 'Nothing has been recorded yet.';
  const shown = [...lines];
  const rest = (): string => `(${lines.length - shown.length} more lines omitted)`;
  while ([...shown, rest()].join('\n').length > maxSummaryLength) shown.pop();
  return shown.length === lines.length ? shown.join('\n') : [...shown, rest()].join('\n');
}

function linesOf(slice: Slice, snapshot: Pick<Session, 'slices'>): readonly string[] {
  const records = recordsOfSlice(snapshot, slice.name);
  if (records.length === 0) return [];
  const counted = [`${slice.name}: ${records.length} ${records.length === 1 ? 'record' : 'records'}`];
  try {
    const lines = slice.summarize?.(records as readonly never[]) ?? counted;
    return lines.slice(0, maxLinesPerSlice).map(oneLine);
  } catch {
    // A bug in a slice's `summarize` must not prevent a delegation from starting.
    return counted;
  }
}

function oneLine(text: string): string {
  return truncateText(neutralizeMarkers(text.replace(/[\s\u0085]+/gu, ' ').trimEnd()), maxLineLength);
}
