import { z } from 'zod';

/** An agent's model and the parameters of its calls. The first entry of the agent's transcript contains them. */
export const modelSettingsSchema = z.strictObject({
  name: z.string().min(1).max(100),
  /** Maximum output tokens per reply. */
  maxTokens: z.int().positive().max(1_000_000),
  /** Size of the model's context window in tokens. Context usage is measured against it. */
  window: z.int().positive().max(100_000_000),
  temperature: z.number().min(0).max(1).optional(),
});
export type ModelSettings = Readonly<z.infer<typeof modelSettingsSchema>>;
