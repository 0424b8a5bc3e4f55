import type { TurnVerdict } from '../agent/apply-turn';
import { changesSince, type Session } from '../session';
import type { ApplyReply, SessionUpdate } from './protocol';

type Taken = Extract<ApplyReply, { ok: true }>;
type Refused = Extract<ApplyReply, { ok: false }>;

/** What a host made of one request, before it is known what else it does in the same moment. */
export type Outcome =
  Refused | { readonly ok: true; readonly since: number; readonly verdicts: readonly TurnVerdict[] };

/** An outcome, and the version of the session right after it. */
export type DatedOutcome = Outcome & { readonly version: number };

/** A reply on its way: the same changes as in an earlier one, or `newest` for the session whole, travel once for all. */
type PackedReply =
  Refused | (Omit<Taken, 'update'> & { readonly update: SessionUpdate | 'newest' | { readonly sameAs: number } });

/** What a host answers to several requests at once. */
export interface PackedReplies {
  readonly replies: readonly PackedReply[];
  readonly newest?: Session;
}

/** Characters of JSON; with one whole session besides, an answer stays far below the server's 2 MiB. */
const roomForDeltas = 512 * 1024;

/**
 * Every reply brings its writer to the session as of the last request: fifty writers who had the same version need the same
 * changes then, instead of fifty that contain each other. Whoever has a version that is not remembered needs the session
 * whole, and so does everybody once changes have no room any more.
 */
export function packReplies(
  outcomes: readonly DatedOutcome[],
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

export function unpackReplies({ replies, newest }: PackedReplies): ApplyReply[] {
  const updateOf = (update: Exclude<PackedReply, Refused>['update']): SessionUpdate => {
    if (update === 'newest') {
      if (newest === undefined) throw new TypeError('The host left the session out that its replies refer to');
      return { whole: newest };
    }
    if (!('sameAs' in update)) return update;
    const earlier = replies[update.sameAs];
    if (earlier?.ok !== true) throw new TypeError('The host left changes out that its replies refer to');
    return updateOf(earlier.update);
  };
  return replies.map((reply) => (reply.ok ? { ...reply, update: updateOf(reply.update) } : reply));
}
