import { z } from 'zod';
import {
  createSessionSchema,
  defineSlice,
  emptySession,
  type HostState,
  recordsOf,
  type RecentVersions,
  type Session,
  type Writers,
} from '../../domain/session';

const marks = defineSlice({
  name: 'marks',
  record: z.strictObject({ by: z.string() }),
  conflict: 'append',
  on: { marked: (records, mark) => [...records, mark] },
});
export const schema = createSessionSchema([marks]);
export const blank = emptySession(schema);

/** How much may happen. */
export interface SessionBounds {
  readonly writers: number;
  readonly turns: number;
  /** Attempts that are repeated although the one before still has an effect: a crash, or a reply that got lost. */
  readonly crashes: number;
  readonly resets: number;
  /** How often the host continues as new or moves writers to the store. */
  readonly moves: number;
  /** Whether states that differ in what replies will contain are told apart. */
  readonly replies?: boolean;
}

/** A request that a writer made: the same place for every attempt at it. */
export interface Made {
  readonly epoch: number;
  readonly at: number;
  readonly seq: number;
  readonly since: number;
}

export interface Writer {
  readonly epoch: number;
  /** The server's time, which a reset advances or not: two tasks may begin in the same millisecond. */
  readonly now: number;
  readonly turn: number;
  /** The request that an activity is sending; null if there is none. */
  readonly pending: Made | null;
  /** What each finished turn sent, with the session before it: a reset goes back there. */
  readonly past: readonly { readonly made: Made; readonly before: Session }[];
  readonly copy: Session;
  readonly isFenced: boolean;
}

/** A request on its way, which the host may get at any time. */
export interface Message extends Made {
  readonly writer: number;
  readonly resent: boolean;
  /** The page of writers that the host looks through for it; null if it has not arrived. */
  readonly lookingIn: string | null;
}

export interface World {
  readonly host: HostState;
  readonly remembered: RecentVersions;
  readonly pages: Readonly<Record<string, Writers>>;
  readonly writers: readonly Writer[];
  readonly network: readonly Message[];
  readonly left: Pick<SessionBounds, 'crashes' | 'resets' | 'moves'>;
  /** The latest execution of each writer whose request the host has applied. Older ones must stay fenced. */
  readonly newest: readonly number[];
}

export const nameOf = (writer: number): string => `w${writer}`;
export const markOf = (writer: number, { epoch, seq }: Pick<Made, 'epoch' | 'seq'>): string =>
  `${nameOf(writer)}.${epoch}.${seq}`;
const marksIn = (session: Session): string[] => recordsOf(session, marks).map(({ by }) => by);
export const replaced = <T>(list: readonly T[], index: number, item: T): readonly T[] =>
  list.map((old, at) => (at === index ? item : old));

export function wrongIn({ host, writers }: World): string | undefined {
  const all = marksIn(host.session);
  const twice = all.find((mark, index) => all.indexOf(mark) !== index);
  if (twice !== undefined) return `${twice} was applied twice`;
  for (const [index, writer] of writers.entries())
    for (const { made: request } of writer.past)
      if (!all.includes(markOf(index, request))) return `${markOf(index, request)} was confirmed and is lost`;
  return undefined;
}

export function wrongAtEnd({ writers, network }: World, { turns }: SessionBounds): string | undefined {
  if (network.length > 0) return 'a request never arrived';
  const stuck = writers.findIndex((writer) => writer.turn < turns);
  return stuck < 0 ? undefined : `${nameOf(stuck)} ended after ${writers[stuck]?.turn} of ${turns} turns`;
}

/**
 * Names a state. The order in which records were appended does not matter to the protocol, and neither does which writer is
 * which, so states that differ only in that have the same name: everything about a writer is one text, and the texts are
 * sorted. Which version of the session a writer has decides only what a reply contains, so it is part of the name only if
 * `replies` are explored.
 */
export function keyOf({ host, remembered, pages, writers, network, left, newest }: World, replies: boolean): string {
  const all = marksIn(host.session);
  const ofWriter = (writer: Writer, index: number): string => {
    const name = nameOf(index);
    const request = ({ epoch, at, seq, since }: Made): unknown => [epoch, at, seq, replies ? since : 0];
    return JSON.stringify([
      [writer.epoch, writer.now, writer.turn, writer.isFenced, writer.pending && request(writer.pending)],
      writer.past.map(({ made: past, before }) => [request(past), replies ? before.version : 0]),
      replies ? writer.copy.version : 0,
      all
        .filter((mark) => mark.startsWith(`${name}.`))
        .map((mark) => mark.slice(name.length))
        .sort(),
      host.writers[name] ?? null,
      Object.values(pages).map((page) => page[name] ?? null),
      network
        .filter((message) => message.writer === index)
        .map((message) => JSON.stringify([request(message), message.resent, message.lookingIn]))
        .sort(),
      newest[index],
    ]);
  };
  const versions = replies
    ? [host.session.version, ...remembered.map(({ version }) => version)]
    : remembered.length > 0;
  return JSON.stringify([writers.map(ofWriter).sort(), host.stored ?? null, left, versions]);
}
