import { z } from 'zod';
import { allowanceSchema } from '../budget/allowance';
import { priceSchema } from '../budget/prices';
import { modelSettingsSchema } from '../model/settings';
import { toolNameSchema } from '../tool/description';

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

/** When an agent has to hand over to a fresh one. */
export const handoffSettingsSchema = z.strictObject({
  /** Share of the model's window. */
  at: z.number().gt(0).max(1),
  max: z.int().nonnegative().max(1_000),
});
export type HandoffSettings = Readonly<z.infer<typeof handoffSettingsSchema>>;

export const defaultHandoff: HandoffSettings = { at: 0.6, max: 8 };

/** What happens when automatic retries are used up: the failure is reported upwards, or the agent waits for an operator. */
export const failurePolicySchema = z.enum(['report', 'hold']);
export type FailurePolicy = z.infer<typeof failurePolicySchema>;

export const defaultHoldMs = 24 * 60 * 60 * 1_000;

/** What an agent works with, apart from its prompt; handed down as it is, or with less. */
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
  onFailure: failurePolicySchema.optional(),
  /** How long an agent waits for an operator before its failure is reported after all. */
  holdMs: z
    .int()
    .min(1_000)
    .max(30 * 24 * 60 * 60 * 1_000)
    .optional(),
  handoff: handoffSettingsSchema.optional(),
  /** What the agent and everything below it may spend. */
  budget: allowanceSchema.optional(),
  /** Prices by the name of the model, where they differ from those that Baton knows. */
  prices: z.record(z.string(), priceSchema).optional(),
  /** When the agent and everything below it must be done, ISO 8601 in UTC. */
  deadline: z.iso.datetime().optional(),
  /** Answers to `request_tool` that need no operator. */
  toolRequests: z
    .strictObject({ grant: z.array(toolNameSchema).max(100), deny: z.array(toolNameSchema).max(100) })
    .optional(),
});
export type AgentSettings = Readonly<z.infer<typeof agentSettingsSchema>>;

/** Only the settings, of whatever else they came with. */
export function settingsOf(from: AgentSettings): AgentSettings {
  const known = Object.keys(agentSettingsSchema.shape);
  return Object.fromEntries(Object.entries(from).filter(([name]) => known.includes(name))) as AgentSettings;
}
