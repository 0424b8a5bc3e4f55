import { z } from 'zod';
import { modelSettingsSchema } from '../model/settings';

/** What bounds an agent and everything below it. */
export const agentLimitsSchema = z.strictObject({
  maxTurns: z.int().min(1).max(100_000),
  /** How many levels of delegation there may be below the root; 0 forbids delegating. */
  maxDepth: z.int().min(0).max(16),
  /** How many delegations one agent may make in its life. */
  maxChildren: z.int().min(0).max(10_000),
  /** How many delegations of one agent run at the same time, so that the provider isn't flooded. */
  maxParallel: z.int().min(1).max(1_000),
});
export type AgentLimits = Readonly<z.infer<typeof agentLimitsSchema>>;

export const defaultLimits: AgentLimits = { maxTurns: 100, maxDepth: 3, maxChildren: 1_000, maxParallel: 32 };

/** How soon a dead worker is noticed, and how long an execution's history may get. For tests and demonstrations. */
export const tuningSchema = z.strictObject({
  heartbeatTimeoutMs: z.int().min(500).max(600_000).optional(),
  turnsPerExecution: z.int().min(1).optional(),
  requestsPerHost: z.int().min(1).optional(),
});

/** What an agent works with, apart from its prompt; handed down unchanged. */
export const agentSettingsSchema = z.strictObject({
  runId: z
    .string()
    .regex(
      /^[a-zA-Z0-9][a-zA-Z0-9._-]{0,63}$/,
      'must be letters, digits, ".", "_" and "-", at most 64, starting with a letter or digit',
    ),
  model: modelSettingsSchema,
  limits: agentLimitsSchema,
  tuning: tuningSchema.optional(),
});
export type AgentSettings = Readonly<z.infer<typeof agentSettingsSchema>>;

/** Only the settings, of whatever else they came with. */
export function settingsOf({ runId, model, limits, tuning }: AgentSettings): AgentSettings {
  return { runId, model, limits, ...(tuning === undefined ? {} : { tuning }) };
}
