import { z } from 'zod';
import { activityContract, type InputOf, type ResultOf } from '../kernel';
import { blobRefSchema, spilledTextSchema, storeLocationSchema } from '../store';

export const checkAnswerActivity = activityContract('checkAnswer', {
  description: 'Checks a final message against the output format of its agent.',
  input: storeLocationSchema.extend({
    /** The agent's `OutputFormat`, as JSON. */
    format: blobRefSchema,
    text: spilledTextSchema,
  }),
  /** The answer in canonical form and its value, or its violation as text for the model. */
  result: z.discriminatedUnion('ok', [
    z.object({
      ok: z.literal(true),
      text: spilledTextSchema,
      /** Length of `text`. */
      characters: z.int().nonnegative().exactOptional(),
      /** The parsed answer as canonical JSON; omitted for a format with nothing but text, which `text` contains. */
      value: spilledTextSchema.exactOptional(),
    }),
    z.object({ ok: z.literal(false), violation: z.string() }),
  ]),
});
export type CheckAnswerInput = InputOf<typeof checkAnswerActivity>;
export type CheckedAnswer = ResultOf<typeof checkAnswerActivity>;
