import { z } from 'zod';

/** How an agent asks its model; part of what the first entry of its transcript commits to. */
export const modelSettingsSchema = z.strictObject({
  name: z.string().min(1).max(100),
  maxTokens: z.int().positive().max(1_000_000),
  /** Tokens of context the model has: what occupancy is measured against. */
  window: z.int().positive().max(100_000_000),
  temperature: z.number().min(0).max(1).optional(),
});
export type ModelSettings = Readonly<z.infer<typeof modelSettingsSchema>>;
