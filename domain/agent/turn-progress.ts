import { z } from 'zod';

/** How far a turn is. The heartbeats of its activity say so, until it has ended. */
export const turnProgressSchema = z.object({
  turn: z.int().positive(),
  /** Names of the tools that are running; empty while the model replies. */
  tools: z.array(z.string()).readonly(),
});
export type TurnProgress = Readonly<z.infer<typeof turnProgressSchema>>;
