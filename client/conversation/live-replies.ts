import type { BlobRef, RunStore } from '../../domain/store';
import { type LiveReply, liveReplyEveryMs, liveReplyName, liveReplySchema } from '../../domain/transcript';
import type { PartialReply } from './conversation';

/** What is shown of an agent's model at this moment. */
export interface LivePicture {
  /** Null when the model is not speaking. */
  readonly speaking: PartialReply | null;
  /** Head of a transcript that may be newer than what the server knows; null when there is none. */
  readonly head: BlobRef | null;
}

/** The picture of an agent that is not at work. */
export const noPicture: LivePicture = { speaking: null, head: null };

/** Milliseconds after which a picture counts as left behind by a worker that died. Clocks may differ a little. */
const outdatedMs = 6 * liveReplyEveryMs;

/** Reads what the model of an agent says at this moment, if the store can tell. */
export async function readLivePicture({ volatile }: RunStore, workflowId: string): Promise<LivePicture> {
  // It is only a picture: a store that can't be read says so where it matters.
  const bytes = await volatile?.read(liveReplyName(workflowId)).catch(() => undefined);
  const reply = bytes === undefined ? undefined : parse(bytes);
  if (reply === undefined || Date.now() - Date.parse(reply.at) > outdatedMs) return noPicture;
  const { turn, attempt, startedAt, thinking, text, calling, head } = reply;
  return head === null
    ? { head, speaking: { turn, attempt, startedAt, thinking, text, calling } }
    : { head, speaking: null };
}

function parse(bytes: Uint8Array): LiveReply | undefined {
  try {
    return liveReplySchema.safeParse(JSON.parse(Buffer.from(bytes).toString('utf8'))).data;
  } catch {
    return undefined;
  }
}
