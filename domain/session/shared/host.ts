import type { ApplyReply, ApplyRequest, SessionUpdate } from '../contract';
import { changesSince } from '../delta';
import type { Session } from '../session';
import type { SessionSchema } from '../session-schema';
import { applyTurn, type ChangeVerdict } from '../turn';
import type { KnownWriters, WriterState } from './writers';

/**
 * Everything the host of a shared session carries over. Plain JSON of bounded size: writers beyond `maxWritersSize` are
 * in the store.
 */
export interface HostState extends KnownWriters {
  readonly session: Session;
}

/** Recent versions that deltas can start from. Not carried over, because the host can always send the whole session. */
export type RecentVersions = readonly Session[];

/** Maximum number of recent versions that a host keeps. */
export const maxRecentVersions = 128;

/** The host's state and replies after applying requests. */
export interface HostStep {
  readonly state: HostState;
  readonly remembered: RecentVersions;
  readonly replies: PackedReplies;
}

/**
 * Applies requests that arrived together, in order of arrival. This order is the total order of the session's changes.
 */
export function applyRequests(
  schema: SessionSchema,
  state: HostState,
  remembered: RecentVersions,
  requests: readonly ApplyRequest[],
): HostStep {
  let now = state;
  const outcomes = requests.map((request): VersionedOutcome => {
    const step = applyRequest(schema, now, request);
    now = step.state;
    return { ...step.outcome, version: now.session.version };
  });
  // One version per call is enough: writers only have versions from replies, which bring the one after the last request.
  const versions =
    now.session === state.session ? remembered : [...remembered, state.session].slice(-maxRecentVersions);
  return { state: now, remembered: versions, replies: packReplies(outcomes, versions, now.session) };
}

/**
 * Applies a request exactly once per execution of its writer. A repetition changes nothing and gets the original
 * verdicts.
 */
function applyRequest(
  schema: SessionSchema,
  state: HostState,
  request: ApplyRequest,
): { readonly state: HostState; readonly outcome: RequestOutcome } {
  const { writer: name, since, epoch, at, seq, digest } = request;
  const writer = Object.hasOwn(state.writers, name) ? state.writers[name] : undefined;
  const accepted = (verdicts: readonly ChangeVerdict[]): RequestOutcome => ({ ok: true, since, verdicts });
  switch (classify(writer, request)) {
    case 'repeated':
      return { state, outcome: accepted(writer?.verdicts ?? []) };
    case 'forgotten':
      return { state, outcome: accepted(request.wanted.map(() => forgotten)) };
    case 'stale':
      return { state, outcome: { ok: false, reason: 'staleEpoch' } };
    case 'gap':
      return { state, outcome: { ok: false, reason: 'gap' } };
    case 'other':
      return { state, outcome: { ok: false, reason: 'otherRequest' } };
    case 'new': {
      const { session, verdicts } = applyTurn(schema, state.session, request.wanted, request.turn);
      const writers = { ...state.writers, [name]: { epoch, at, seq, digest, verdicts } };
      return { state: { ...state, session, writers }, outcome: accepted(verdicts) };
    }
  }
}

type RequestClass = 'new' | 'repeated' | 'forgotten' | 'stale' | 'gap' | 'other';

/** Compares a request with the writer's last one. */
function classify(writer: WriterState | undefined, { epoch, at, seq, digest, resent }: ApplyRequest): RequestClass {
  if (writer === undefined) return 'new';
  // A later execution replaces an earlier one, whichever number it starts with. The earlier one has ended.
  if (writer.epoch !== epoch && at >= writer.at) return 'new';
  // After two resets to the same point: a request that was pending there has been answered already, or else the later
  // execution could not have continued.
  if (writer.epoch !== epoch) return resent ? 'forgotten' : 'stale';
  if (seq === writer.seq) return digest === writer.digest ? 'repeated' : 'other';
  if (seq < writer.seq) return 'forgotten';
  return seq === writer.seq + 1 ? 'new' : 'gap';
}

/**
 * Verdict for an agent that was reset to the middle of an older request: only the verdicts of the last request are
 * kept.
 */
const forgotten: ChangeVerdict = {
  remark: 'This was submitted before the agent was reset and may have been refused. Check before you rely on it.',
};

type AcceptedReply = Extract<ApplyReply, { ok: true }>;
type Refused = Extract<ApplyReply, { ok: false }>;

/** The host's result for one request, before it is combined with those of the requests that arrived together. */
type RequestOutcome =
  Refused | { readonly ok: true; readonly since: number; readonly verdicts: readonly ChangeVerdict[] };

/** An outcome with the version of the session right after it. */
export type VersionedOutcome = RequestOutcome & { readonly version: number };

/**
 * A reply without repeated data. `sameAs` refers to the delta in an earlier reply of the same message, `newest` to the
 * whole session, which is sent once for all replies.
 */
type PackedReply =
  | Refused
  | (Omit<AcceptedReply, 'update'> & { readonly update: SessionUpdate | 'newest' | { readonly sameAs: number } });

/** The host's replies to several requests, in their order. */
export interface PackedReplies {
  readonly replies: readonly PackedReply[];
  /** The whole session; omitted when no reply refers to it. */
  readonly newest?: Session;
}

/**
 * Maximum JSON characters of all deltas. Together with one whole session, a message stays far below the server's 2 MiB.
 */
const roomForDeltas = 512 * 1024;

/**
 * Packs the replies to requests that were applied together. Every reply brings its writer to the session as of the last
 * request, so that fifty writers that had the same version share one delta instead of receiving fifty overlapping ones.
 * A writer whose version is not remembered receives the whole session, and so do all others once the deltas exceed
 * their limit.
 */
export function packReplies(
  outcomes: readonly VersionedOutcome[],
  remembered: readonly Session[],
  newest: Session,
): PackedReplies {
  let room = roomForDeltas;
  const first = new Map<number, number>();
  const updateFor = (since: number, index: number): Exclude<PackedReply, Refused>['update'] => {
    const earlier = first.get(since);
    if (earlier !== undefined) return { sameAs: earlier };
    const delta = changesSince(remembered, newest, since);
    if (delta === undefined) return 'newest';
    room -= JSON.stringify(delta).length;
    if (room < 0) return 'newest';
    first.set(since, index);
    return { delta };
  };
  const replies = outcomes.map((outcome, index): PackedReply => {
    if (!outcome.ok) return { ok: false, reason: outcome.reason };
    const { verdicts, since, version } = outcome;
    const update = updateFor(since, index);
    return { ok: true, version: update === 'newest' ? newest.version : version, verdicts, update };
  });
  return replies.some((reply) => reply.ok && reply.update === 'newest') ? { replies, newest } : { replies };
}

/** Restores the replies that `packReplies` packed. */
export function unpackReplies({ replies, newest }: PackedReplies): ApplyReply[] {
  const updateOf = (update: Exclude<PackedReply, Refused>['update']): SessionUpdate => {
    if (update === 'newest') {
      if (newest === undefined) throw new TypeError('The host did not send the session that its replies refer to');
      return { whole: newest };
    }
    if (!('sameAs' in update)) return update;
    const earlier = replies[update.sameAs];
    if (earlier?.ok !== true) throw new TypeError('The host did not send the delta that its replies refer to');
    return updateOf(earlier.update);
  };
  return replies.map((reply) => (reply.ok ? { ...reply, update: updateOf(reply.update) } : reply));
}
