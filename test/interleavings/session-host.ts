import {
  afterFinding,
  afterStoring,
  applyDelta,
  type ApplyReply,
  type ApplyRequest,
  applyRequests,
  unpackReplies,
  type Writers,
  writersToFind,
} from '../../domain/session';
import { Impossible, type Model, type Step } from './explore';
import {
  blank,
  keyOf,
  type Made,
  markOf,
  type Message,
  nameOf,
  replaced,
  schema,
  type SessionBounds,
  type World,
  type Writer,
  wrongAtEnd,
  wrongIn,
} from './session-world';

// Agents that write to a shared session, and its host. Requests may be sent twice, late, and by executions that have
// been reset; the host may continue as new and move writers to the store at any time.

/** The functions that carry the promise. Tests replace them by broken ones. */
export const sessionProtocol = { applyRequests, writersToFind, afterStoring, afterFinding };
export type SessionProtocol = typeof sessionProtocol;

/** Steps here need not wait for anything. */
interface Immediate extends Step<World> {
  readonly next: () => World;
}

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

function writerSteps(world: World, writer: Writer, index: number): Immediate[] {
  const { left } = world;
  const steps: Immediate[] = [];
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

/** A reset goes back to before a request was made, or to when it was pending. The activities of the old execution continue. */
function resetSteps(world: World, writer: Writer, index: number): Immediate[] {
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

function messageSteps(protocol: SessionProtocol, world: World, message: Message, index: number): Immediate[] {
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

function hostSteps(protocol: SessionProtocol, world: World): Immediate[] {
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
