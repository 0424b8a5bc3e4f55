import { z } from 'zod';

/** The structured answer that a prompt requires, described for a model. */
export const outputSchema = z.strictObject({
  container: z.enum(['object', 'array']),
  allowExtraKeys: z.boolean().optional().describe('Default: false'),
  fields: z
    .array(
      z.strictObject({ name: z.string().min(1), description: z.string().optional(), rules: z.string().optional() }),
    )
    .optional(),
  reporting: z.array(z.string()).optional().describe('Additional notes on the answer'),
});
export type OutputSchema = Readonly<z.infer<typeof outputSchema>>;
