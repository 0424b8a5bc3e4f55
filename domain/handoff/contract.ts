import { z } from 'zod';
import { openedAgentSchema } from '../agent';
import { activityContract, type InputOf, type ResultOf } from '../kernel';
import { slicesPayloadSchema } from '../session';
import { blobRefSchema, spilledTextSchema, storeLocationSchema } from '../store';

export const takeHandoffActivity = activityContract('takeHandoff', {
  description: 'Checks and stores the handoff that an agent wrote, and begins the conversation that continues from it.',
  input: storeLocationSchema.extend({
    /** The reply to the handoff call. */
    text: spilledTextSchema,
    opened: openedAgentSchema.pick({ opening: true }),
    /** Head of the conversation that ends. The new one refers to it, so that its head commits to both. */
    head: blobRefSchema.exactOptional(),
    /** The slices `notes`, `artifacts` and `files`, or a ref to the whole session. */
    session: slicesPayloadSchema,
    /** Number of the agent's handoff, starting at 1. */
    number: z.int().positive(),
    /** Folder for the artifact's name, set when other agents may hand off in the same session. */
    folder: z.string().exactOptional(),
  }),
  /** The new conversation, or the violation as text for the model. */
  result: z.discriminatedUnion('ok', [
    z.object({
      ok: z.literal(true),
      /** The new transcript, which contains only its opening: the same prompt, and the handoff as first message. */
      head: blobRefSchema,
      artifact: z.object({ name: z.string(), ref: blobRefSchema }),
      /** Estimated size of the handoff. */
      artifactTokens: z.int().nonnegative(),
    }),
    z.object({ ok: z.literal(false), violation: z.string() }),
  ]),
});
export type TakeHandoffInput = InputOf<typeof takeHandoffActivity>;
export type HandoffCheck = ResultOf<typeof takeHandoffActivity>;
