import { z } from 'zod';
import { agentSettingsSchema } from './agent-settings';
import { InvalidInputError } from '../kernel/errors';
import { firstIssue } from '../kernel/schema-issues';

/** Maximum bytes of a goal in UTF-8. */
export const maxGoalBytes = 16 * 1024;

/** Input of the root workflow. It has no defaults, so that history records every setting explicitly. */
export const runInputSchema = agentSettingsSchema.extend({
  goal: z
    .string()
    .refine((goal) => goal.trim() !== '', 'must not be empty')
    .refine((goal) => new TextEncoder().encode(goal).length <= maxGoalBytes, `must be at most ${maxGoalBytes} bytes`),
  /** Folder that is imported when the run starts; a path on the worker's machine. */
  workspace: z.strictObject({ root: z.string().min(1).max(4096) }).optional(),
});
export type RunInput = z.infer<typeof runInputSchema>;

/** Validates a run's input. Throws an `InvalidInputError` for the first invalid field. */
export function parseRunInput(value: unknown): RunInput {
  const parsed = runInputSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const { field, reason } = firstIssue(parsed.error);
  throw new InvalidInputError(field, reason, 'Correct this value and start the run again.');
}
