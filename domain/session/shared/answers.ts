import type { ChangeVerdict } from '../turn';
import { changesSince, type Session } from '..';
import type { ApplyReply, SessionUpdate } from '../contract';

type AcceptedReply = Extract<ApplyReply, { ok: true }>;
type Refused = Extract<ApplyReply, { ok: false }>;

/** The host's result for one request, before it is combined with those of the requests that arrived together. */
export type RequestOutcome =
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
