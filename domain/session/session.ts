import { utf8 } from '../hash';
import type { Json } from '../json-value';
import type { EventFailure } from './errors';
import { bytesOfList, ownList, type Records } from './sealed';
import type { SessionSchema } from './schema';
import type { Slice } from './slice';

/** Named lists of typed records, changed only by events. Plain JSON: it travels as it is. */
export interface Session {
  /** How many events have been applied. */
  readonly version: number;
  readonly slices: Readonly<Record<string, Records>>;
}

/** Something that happened. What it changes is up to the slices that listen to its type. */
export interface SessionEvent {
  readonly type: string;
  readonly value: Json;
}

export type EventResult =
  | { readonly status: 'applied'; readonly version: number }
  /** An event of the agent loop that no slice listens to. */
  | { readonly status: 'ignored' }
  | { readonly status: 'failed'; readonly failure: EventFailure };

export function emptySession(schema: SessionSchema): Session {
  return ownSession({ version: 0, slices: Object.fromEntries(schema.slices.map(({ name }) => [name, []])) });
}

/** The records of a slice, with their type. A session that is older than the slice has none. */
export function recordsOf<R>(session: Pick<Session, 'slices'>, slice: Slice<R>): readonly R[] {
  return recordsNamed(session, slice.name) as unknown as readonly R[];
}

const none: Records = Object.freeze([]);

export function recordsNamed(session: Pick<Session, 'slices'>, name: string): Records {
  return Object.hasOwn(session.slices, name) ? (session.slices[name] ?? none) : none;
}

/** The same session out of frozen lists. Free of cost for one that this module made. */
export function ownSession(session: Session): Session {
  return {
    version: session.version,
    slices: Object.fromEntries(Object.entries(session.slices).map(([name, records]) => [name, ownList(records)])),
  };
}

/** Size of the session's canonical JSON, and which slice takes most of it. */
export function measureSession(session: Session): { readonly bytes: number; readonly largest: string } {
  const sizes = Object.entries(session.slices).map(([name, records]) => ({
    name,
    bytes: utf8(JSON.stringify(name)).length + 1 + bytesOfList(records),
  }));
  const commas = Math.max(0, sizes.length - 1);
  const frame = `{"slices":{},"version":${session.version}}`.length;
  const largest = sizes.reduce((most, next) => (next.bytes > most.bytes ? next : most), { name: '', bytes: 0 });
  return { bytes: sizes.reduce((sum, { bytes }) => sum + bytes, frame + commas), largest: largest.name };
}
