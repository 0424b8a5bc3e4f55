import type { Session } from '../session';
import type { ApplyReply, SessionUpdate } from './protocol';

type Taken = Extract<ApplyReply, { ok: true }>;
type Refused = Extract<ApplyReply, { ok: false }>;

/** A reply on its way: `newest` stands for the session that all such replies have in common. */
type PackedReply = Refused | (Omit<Taken, 'update'> & { readonly update: SessionUpdate | 'newest' });

/** What a host answers to several requests at once. */
export interface PackedReplies {
  readonly replies: readonly PackedReply[];
  readonly newest?: Session;
}

/** Characters of JSON; with one whole session besides, an answer stays far below the server's 2 MiB. */
const roomForDeltas = 512 * 1024;

/**
 * Whole sessions are large, and after the host has continued as new everybody needs one: they travel once, as of the last
 * request, for all. So do changes beyond what has room.
 */
export function packReplies(replies: readonly ApplyReply[], newest: Session): PackedReplies {
  let room = roomForDeltas;
  const packed = replies.map((reply): PackedReply => {
    if (!reply.ok) return reply;
    if ('delta' in reply.update) {
      room -= JSON.stringify(reply.update.delta).length;
      if (room >= 0) return reply;
    }
    return { ...reply, version: newest.version, update: 'newest' };
  });
  return packed.some((reply) => reply.ok && reply.update === 'newest')
    ? { replies: packed, newest }
    : { replies: packed };
}

export function unpackReplies({ replies, newest }: PackedReplies): ApplyReply[] {
  return replies.map((reply) => {
    if (!reply.ok) return reply;
    const { update, ...rest } = reply;
    if (update !== 'newest') return { ...rest, update };
    if (newest === undefined) throw new TypeError('The host left the session out that its replies refer to');
    return { ...rest, update: { whole: newest } };
  });
}
