import { z } from 'zod';

export const toolNameSchema = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/, 'letters, digits, _ and -, at most 64');

/** What is known of a tool without being able to run it: pinned when a run starts, shown to models and in prompts. */
export const toolDescriptionSchema = z.strictObject({
  name: toolNameSchema,
  /** Names this implementation: another id under the same name is another tool. */
  id: z.string().min(1).max(100),
  description: z.string().min(1),
  /** JSON Schema of the parameters, as the model gets it. */
  inputSchema: z.record(z.string(), z.json()),
  /** What a successful call means, in a sentence. */
  success: z.string().min(1),
  /** What a call costs, in a few words. */
  cost: z.string().min(1),
  /** Whether running it twice does no more than running it once: decides what happens after a crash. */
  safeToRepeat: z.boolean(),
  /** Slices of the session that it needs to see. */
  reads: z.array(z.string().min(1)).optional(),
});
export type ToolDescription = Readonly<z.infer<typeof toolDescriptionSchema>>;
