import { z } from 'zod';

/** The structured answer that a prompt asks for, in the words a model needs to produce it. */
export const outputSchema = z.strictObject({
  container: z.enum(['object', 'array']),
  allowExtraKeys: z.boolean().optional().describe('Left out means no'),
  fields: z
    .array(
      z.strictObject({ name: z.string().min(1), description: z.string().optional(), rules: z.string().optional() }),
    )
    .optional(),
  reporting: z.array(z.string()).optional().describe('Further notes on the answer'),
});
export type OutputSchema = Readonly<z.infer<typeof outputSchema>>;
