import { z } from 'zod';
import { agentSettingsSchema } from '../agent/settings';
import { InvalidInputError } from '../errors';

export const maxGoalBytes = 16 * 1024;

/** Everything a run is started with. No defaults: what is in history is what was meant. */
export const runInputSchema = agentSettingsSchema.extend({
  goal: z
    .string()
    .refine((goal) => goal.trim() !== '', 'must not be empty')
    .refine((goal) => new TextEncoder().encode(goal).length <= maxGoalBytes, `must be at most ${maxGoalBytes} bytes`),
  /** Folder that is mounted when the run starts, as the workers see it. */
  workspace: z.strictObject({ root: z.string().min(1).max(4096) }).optional(),
});
export type RunInput = z.infer<typeof runInputSchema>;

/** Checks a run's input, and says in the user's words what is wrong with it. */
export function parseRunInput(value: unknown): RunInput {
  const parsed = runInputSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const field = issue === undefined || issue.path.length === 0 ? 'input' : issue.path.join('.');
  throw new InvalidInputError(field, issue?.message ?? 'is invalid', 'Correct it and start the run again.');
}
