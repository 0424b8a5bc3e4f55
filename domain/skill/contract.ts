import { z } from 'zod';
import { activityContract, type InputOf, type ResultOf } from '../kernel';
import { blobRefSchema, spilledTextSchema, storeLocationSchema } from '../store';

export const checkAnswerActivity = activityContract('checkAnswer', {
  description: 'Checks a final message against the output format of its skill.',
  input: storeLocationSchema.extend({
    /** The skill's `OutputFormat`, as JSON. */
    format: blobRefSchema,
    text: spilledTextSchema,
  }),
  /** The answer in canonical form, or its violation as text for the model. */
  result: z.discriminatedUnion('ok', [
    z.object({ ok: z.literal(true), text: spilledTextSchema }),
    z.object({ ok: z.literal(false), violation: z.string() }),
  ]),
});
export type CheckAnswerInput = InputOf<typeof checkAnswerActivity>;
export type CheckedAnswer = ResultOf<typeof checkAnswerActivity>;
