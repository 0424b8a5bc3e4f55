import { z } from 'zod';
import { InvalidInputError } from '../errors';
import { modelSettingsSchema } from '../model/settings';

export const maxGoalBytes = 16 * 1024;

/** Everything a run is started with. No defaults: what is in history is what was meant. */
export const runInputSchema = z.strictObject({
  runId: z
    .string()
    .regex(
      /^[a-zA-Z0-9][a-zA-Z0-9._-]{0,63}$/,
      'letters, digits, ".", "_" and "-", at most 64, starting with a letter or digit',
    ),
  goal: z
    .string()
    .refine((goal) => goal.trim() !== '', 'must not be empty')
    .refine((goal) => new TextEncoder().encode(goal).length <= maxGoalBytes, `must be at most ${maxGoalBytes} bytes`),
  model: modelSettingsSchema,
  /** Folder the agent may read, as the workers see it. */
  workspace: z.strictObject({ root: z.string().min(1).max(4096) }).optional(),
  limits: z.strictObject({ maxTurns: z.int().min(1).max(100_000) }),
  /** How soon a dead worker is noticed, and how long an execution's history may get. For tests and demonstrations. */
  tuning: z
    .strictObject({
      heartbeatTimeoutMs: z.int().min(500).max(600_000).optional(),
      turnsPerExecution: z.int().min(1).optional(),
    })
    .optional(),
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
