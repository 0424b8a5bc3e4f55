import {
  afterFinding,
  afterStoring,
  applyDelta,
  type ApplyReply,
  type ApplyRequest,
  applyRequests,
  createSessionSchema,
  defineSlice,
  emptySession,
  type HostState,
  recordsOf,
  type RecentVersions,
  type Session,
  unpackReplies,
  type Writers,
  writersToFind,
} from '../../domain/session';
import { z } from 'zod';
import { Impossible, type Model, type Step } from './explore';

// Agents that write to a shared session, and its host. Requests may be sent twice, late, and by executions that have
// been reset; the host may continue as new and move writers to the store at any time.

const marks = defineSlice({
  name: 'marks',
  record: z.strictObject({ by: z.string() }),
  conflict: 'append',
  on: { marked: (records, mark) => [...records, mark] },
});
const schema = createSessionSchema([marks]);
const blank = emptySession(schema);

/** The functions that carry the promise. Tests replace them by broken ones. */
export const sessionProtocol = { applyRequests, writersToFind, afterStoring, afterFinding };
export type SessionProtocol = typeof sessionProtocol;

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
interface Made {
  readonly epoch: number;
  readonly at: number;
  readonly seq: number;
  readonly since: number;
}

interface Writer {
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
interface Message extends Made {
  readonly writer: number;
  readonly resent: boolean;
  /** The page of writers that the host looks through for it; null if it has not arrived. */
  readonly lookingIn: string | null;
}

interface World {
  readonly host: HostState;
  readonly remembered: RecentVersions;
  readonly pages: Readonly<Record<string, Writers>>;
  readonly writers: readonly Writer[];
  readonly network: readonly Message[];
  readonly left: Pick<SessionBounds, 'crashes' | 'resets' | 'moves'>;
  /** The latest execution of each writer whose request the host has applied. Older ones must stay fenced. */
  readonly newest: readonly number[];
}

const nameOf = (writer: number): string => `w${writer}`;
const markOf = (writer: number, { epoch, seq }: Pick<Made, 'epoch' | 'seq'>): string =>
  `${nameOf(writer)}.${epoch}.${seq}`;
const marksIn = (session: Session): string[] => recordsOf(session, marks).map(({ by }) => by);
const replaced = <T>(list: readonly T[], index: number, item: T): readonly T[] =>
  list.map((old, at) => (at === index ? item : old));

export function sessionModel(bounds: SessionBounds, protocol: SessionProtocol = sessionProtocol): Model<World> {
  const fresh: Writer = { epoch: 0, now: 0, turn: 0, pending: null, past: [], copy: blank, isFenced: false };
  const { crashes, resets, moves } = bounds;
  return {
    initial: makingRequests(
      {
        host: { session: blank, writers: {} },
        remembered: [],
        pages: {},
        writers: Array.from({ length: bounds.writers }, () => fresh),
        network: [],
        left: { crashes, resets, moves },
        newest: Array.from({ length: bounds.writers }, () => 0),
      },
      bounds,
    ),
    steps: (world) =>
      [
        ...world.writers.flatMap((writer, index) => writerSteps(world, writer, index)),
        ...world.network.flatMap((message, index) => messageSteps(protocol, world, message, index)),
        ...hostSteps(protocol, world),
      ].map(({ name, next }) => ({ name, next: () => makingRequests(next(), bounds) })),
    key: (world) => keyOf(world, bounds.replies ?? false),
    check: (world, isEnd) => wrongIn(world) ?? (isEnd ? wrongAtEnd(world, bounds) : undefined),
  };
}

/**
 * Every writer that can make its next request does so. Nothing is lost by not exploring it as a step: nobody sees a request
 * before it arrives, and a reset can go back to before it was made.
 */
function makingRequests(world: World, { turns }: SessionBounds): World {
  return world.writers.reduce(
    (now, writer, index) =>
      writer.pending === null && writer.turn < turns && !writer.isFenced ? made(now, writer, index) : now,
    world,
  );
}

function writerSteps(world: World, writer: Writer, index: number): Step<World>[] {
  const { left } = world;
  const steps: Step<World>[] = [];
  const { pending } = writer;
  if (pending !== null && left.crashes > 0)
    steps.push({
      name: `${nameOf(index)}'s activity is tried again`,
      next: () => ({ ...sent(world, index, pending), left: { ...left, crashes: left.crashes - 1 } }),
    });
  if (left.resets > 0)
    for (const step of resetSteps(world, writer, index))
      steps.push({ ...step, next: () => ({ ...step.next(), left: { ...left, resets: left.resets - 1 } }) });
  return steps;
}

function made(world: World, writer: Writer, index: number): World {
  const request: Made = { epoch: writer.epoch, at: writer.now, seq: writer.turn, since: writer.copy.version };
  const writers = replaced(world.writers, index, { ...writer, now: writer.now + 1, pending: request });
  return sent({ ...world, writers }, index, request);
}

function sent(world: World, writer: number, request: Made): World {
  const resent = world.writers[writer]?.epoch !== request.epoch;
  return { ...world, network: [...world.network, { ...request, writer, resent, lookingIn: null }] };
}

/** A reset goes back to before a request was made, or to when it was pending. The old execution's activities go on. */
function resetSteps(world: World, writer: Writer, index: number): Step<World>[] {
  const epoch = writer.epoch + 1;
  const points = [
    ...writer.past.map(({ made: request, before }, turn) => ({ turn, request, before })),
    { turn: writer.turn, request: writer.pending, before: writer.copy },
  ];
  return points.flatMap(({ turn, request, before }) =>
    [0, 1].flatMap((later) => {
      // A new execution's clock is never behind, but may show the same millisecond.
      const now = writer.now + later;
      const back = {
        ...writer,
        epoch,
        now,
        turn,
        past: writer.past.slice(0, turn),
        copy: before,
        pending: null,
        isFenced: false,
      };
      const to = (state: Writer): World => ({ ...world, writers: replaced(world.writers, index, state) });
      const name = `${nameOf(index)} is reset ${later === 0 ? 'at once ' : ''}to`;
      return [
        { name: `${name} before request ${turn}`, next: () => to(back) },
        ...(request === null
          ? []
          : [
              {
                name: `${name} request ${turn}, pending`,
                next: () => sent(to({ ...back, pending: request }), index, request),
              },
            ]),
      ];
    }),
  );
}

function messageSteps(protocol: SessionProtocol, world: World, message: Message, index: number): Step<World>[] {
  const what = `request ${message.seq} of ${nameOf(message.writer)}, execution ${message.epoch}`;
  return [{ name: `the host gets ${what}`, next: () => arrived(protocol, world, message, index) }];
}

function requestOf({ writer, epoch, at, seq, since, resent }: Message): ApplyRequest {
  const by = markOf(writer, { epoch, seq });
  const wanted = [{ tool: null, callId: '', isError: false, changes: [], events: [{ type: 'marked', value: { by } }] }];
  return { writer: nameOf(writer), epoch: String(epoch), at, seq, since, turn: seq, wanted, resent, digest: by };
}

/** The host looks for the writer in the store if it has to, and again if writers were moved there meanwhile. */
function arrived(protocol: SessionProtocol, world: World, message: Message, index: number): World {
  const request = requestOf(message);
  const page = world.host.stored?.page.hash;
  if (message.lookingIn !== null && message.lookingIn === page) {
    const found = foundIn(world.pages[page] ?? {}, request.writer);
    return applied(protocol, { ...world, host: protocol.afterFinding(world.host, found) }, message, index);
  }
  const mustLook = protocol.writersToFind(world.host, [request]).length > 0;
  if (!mustLook || page === undefined) return applied(protocol, world, message, index);
  return { ...world, network: replaced(world.network, index, { ...message, lookingIn: page }) };
}

function foundIn(writers: Writers, name: string): Writers {
  const found = writers[name];
  return found === undefined ? {} : { [name]: found };
}

function applied(protocol: SessionProtocol, world: World, message: Message, index: number): World {
  const step = protocol.applyRequests(schema, world.host, world.remembered, [requestOf(message)]);
  const [reply] = unpackReplies(step.replies);
  const isNew = step.state.session !== world.host.session;
  const newest = world.newest[message.writer] ?? 0;
  if (isNew && message.epoch < newest && !message.resent)
    throw new Impossible('an execution that was replaced has written');
  const after: World = {
    ...world,
    host: step.state,
    remembered: step.remembered,
    network: world.network.filter((_, at) => at !== index),
    newest: isNew ? replaced(world.newest, message.writer, Math.max(newest, message.epoch)) : world.newest,
  };
  return reply === undefined ? after : answered(after, message, reply);
}

/** The reply counts only if the activity that sent the request is still waiting for it. */
function answered(world: World, message: Message, reply: ApplyReply): World {
  const writer = world.writers[message.writer];
  const { pending } = writer ?? {};
  if (writer === undefined || pending == null || pending.epoch !== message.epoch || pending.seq !== message.seq)
    return world;
  // An attempt of the execution before the reset, whose reply reaches nobody.
  if (message.resent !== (writer.epoch !== pending.epoch)) return world;
  if (!reply.ok) {
    if (reply.reason !== 'staleEpoch') throw new Impossible(`${nameOf(message.writer)} was refused: ${reply.reason}`);
    return { ...world, writers: replaced(world.writers, message.writer, { ...writer, pending: null, isFenced: true }) };
  }
  const copy = 'whole' in reply.update ? reply.update.whole : applyDelta(writer.copy, reply.update.delta);
  if (JSON.stringify(copy) !== JSON.stringify(world.host.session))
    throw new Impossible('a copy differs from the session');
  const past = [...writer.past, { made: pending, before: writer.copy }];
  const now = { ...writer, turn: writer.turn + 1, pending: null, past, copy };
  return { ...world, writers: replaced(world.writers, message.writer, now) };
}

function hostSteps(protocol: SessionProtocol, world: World): Step<World>[] {
  const { left, host } = world;
  if (left.moves === 0) return [];
  const after = (changed: Partial<World>): World => ({
    ...world,
    ...changed,
    left: { ...left, moves: left.moves - 1 },
  });
  const store = (name: string): World => {
    const { [name]: moved } = host.writers;
    const writers: Writers = moved === undefined ? {} : { [name]: moved };
    const before = host.stored === undefined ? {} : world.pages[host.stored.page.hash];
    const hash = `page ${Object.keys(world.pages).length}`;
    const page = { hash, bytes: 1, mediaType: 'application/json' };
    return after({
      host: protocol.afterStoring(host, writers, page),
      pages: { ...world.pages, [hash]: { ...before, ...writers } },
    });
  };
  return [
    ...(world.remembered.length === 0
      ? []
      : [{ name: 'the host continues as new', next: () => after({ remembered: [] }) }]),
    ...Object.keys(host.writers).map((name) => ({
      name: `the host moves ${name} to the store`,
      next: () => store(name),
    })),
  ];
}

function wrongIn({ host, writers }: World): string | undefined {
  const all = marksIn(host.session);
  const twice = all.find((mark, index) => all.indexOf(mark) !== index);
  if (twice !== undefined) return `${twice} was applied twice`;
  for (const [index, writer] of writers.entries())
    for (const { made: request } of writer.past)
      if (!all.includes(markOf(index, request))) return `${markOf(index, request)} was confirmed and is lost`;
  return undefined;
}

function wrongAtEnd({ writers, network }: World, { turns }: SessionBounds): string | undefined {
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
function keyOf({ host, remembered, pages, writers, network, left, newest }: World, replies: boolean): string {
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
