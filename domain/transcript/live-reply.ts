import { z } from 'zod';
import { blobRefSchema } from '../store';

/**
 * What an agent's model says at this moment. The worker overwrites it in the store while the reply arrives. It is a
 * picture, not a record: it may be missing or outdated at any time, and nothing depends on it.
 */
export const liveReplySchema = z.object({
  v: z.literal(1),
  /** Number of the turn, 1-based. */
  turn: z.int().positive(),
  /** Number of the attempt at the turn, 1-based. */
  attempt: z.int().positive(),
  /** When the model was called, ISO 8601. */
  startedAt: z.string(),
  /** When this was written, ISO 8601. */
  at: z.string(),
  /** The end of what the model thought and said so far, and the tools that it has begun to call. */
  thinking: z.string(),
  text: z.string(),
  calling: z.array(z.string()),
  /** Head of the transcript that ends with the reply; null while it arrives. */
  head: blobRefSchema.nullable(),
});
export type LiveReply = Readonly<z.infer<typeof liveReplySchema>>;

/** Milliseconds after which a reply that arrives is written again, even if nothing was added. */
export const liveReplyEveryMs = 5_000;

/** Returns the name of an agent's live reply among the volatile values of its run. */
export function liveReplyName(workflowId: string): string {
  return `reply/${workflowId}`;
}
