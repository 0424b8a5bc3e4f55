import { z } from 'zod';
import { checkValue } from '../kernel';
import { allowanceSchema, requirePrice } from '../budget';
import {
  completeModel,
  defaultMaxTokens,
  joinCatalogs,
  type ModelCatalog,
  modelCatalogSchema,
  type ModelPreferences,
  modelSettingsSchema,
  priceSchema,
  resolveModel,
} from '../model';
import { commandSettingsSchema } from '../command';
import { notifySchema } from '../operator';
import { approvalRulesSchema, defaultMaxToolTokens, toolRequestsSchema } from '../tool';
import { delegationControlsSchema } from './delegation-controls';

/** Limits of an agent and of every agent below it. */
const agentLimitsSchema = z.strictObject({
  /** Maximum model calls of one agent. */
  maxTurns: z.int().min(1).max(100_000),
  /** Maximum levels of delegation below the root agent; 0 forbids delegating. */
  maxDepth: z.int().min(0).max(16),
  /** Maximum delegations that one agent may make in total. */
  maxChildren: z.int().min(0).max(10_000),
  /** Maximum delegations of one agent that run concurrently, so that the provider isn't flooded. */
  maxParallel: z.int().min(1).max(1_000),
  /** Maximum bytes of a delegation's prompt. */
  maxPromptBytes: z
    .int()
    .min(1_024)
    .max(64 * 1024 * 1024)
    .optional(),
  /**
   * How often an agent may make the same calls with the same results, in a row, before it is told, and stopped if it
   * continues; 0 for any number. It gets its default when the run is opened: without it, as in runs that an earlier
   * version opened, repetitions are not counted.
   */
  maxRepeats: z.int().min(0).max(1_000).optional(),
  /** Maximum estimated tokens of the descriptions of an agent's MCP tools. Beyond it, `find_tool` brings them in. */
  maxToolTokens: z.int().min(0).max(10_000_000).optional(),
});
/** Limits of an agent and of every agent below it. */
export type AgentLimits = Readonly<z.infer<typeof agentLimitsSchema>>;

/**
 * Limits of a run that specifies none: 100 turns, 3 levels, 1,000 delegations per agent, 32 of them concurrently,
 * prompts of 2 MiB, and 10,000 tokens of descriptions of MCP tools. An agent is told when it has repeated itself 4 times.
 */
export const defaultLimits: AgentLimits & Readonly<Record<'maxPromptBytes' | 'maxRepeats' | 'maxToolTokens', number>> =
  {
    maxTurns: 100,
    maxDepth: 3,
    maxChildren: 1_000,
    maxParallel: 32,
    maxPromptBytes: 2 * 1024 * 1024,
    maxRepeats: 4,
    maxToolTokens: defaultMaxToolTokens,
  };

/** Returns the maximum bytes of a delegation's prompt. */
export function maxPromptBytes(limits: Pick<AgentLimits, 'maxPromptBytes'>): number {
  return limits.maxPromptBytes ?? defaultLimits.maxPromptBytes;
}

/** Returns the maximum estimated tokens of the descriptions of an agent's MCP tools. */
export function maxToolTokens(limits: Pick<AgentLimits, 'maxToolTokens'>): number {
  return limits.maxToolTokens ?? defaultLimits.maxToolTokens;
}

/** Engine internals that tests and demonstrations change. */
const tuningSchema = z.strictObject({
  /** Time after which a worker without a heartbeat counts as dead, in milliseconds. */
  heartbeatTimeoutMs: z.int().min(500).max(600_000).optional(),
  /** Time between two attempts at a step, in milliseconds. */
  retryIntervalMs: z.int().min(10).max(600_000).optional(),
  /** Turns after which an agent continues as new. */
  turnsPerExecution: z.int().min(1).optional(),
  /** Requests after which the host of a shared session continues as new. */
  requestsPerHost: z.int().min(1).optional(),
  /** Time between two looks of a delegation, or of a shared session's host, whether its parent is open, in milliseconds. */
  parentCheckMs: z.int().min(100).optional(),
  /** Turns that one activity may take while nothing has to be decided between them. Default: 8, and 1 for a root. */
  turnsPerActivity: z.int().min(1).max(8).optional(),
  /** Whether tools run in the activity of their turn if they may. Default: true. */
  toolsInside: z.boolean().optional(),
});

/** When, and how often, an agent hands off to a new conversation. */
const handoffSettingsSchema = z.strictObject({
  /** Context usage at which the agent hands off, as a share of the model's context window. */
  at: z.number().gt(0).max(1),
  /** Maximum handoffs per agent. */
  max: z.int().nonnegative().max(1_000),
});
export type HandoffSettings = Readonly<z.infer<typeof handoffSettingsSchema>>;

/** Handoff settings of a run that specifies none. */
export const defaultHandoff: HandoffSettings = { at: 0.6, max: 8 };

/**
 * What happens when automatic retries are exhausted: `report` fails the agent, `hold` makes it wait for an operator.
 */
export const failurePolicySchema = z.enum(['report', 'hold']);

/** How long an agent waits for an operator if the run does not specify `holdMs`. */
export const defaultHoldMs = 24 * 60 * 60 * 1_000;

/**
 * Everything that configures an agent, apart from its prompt. Delegations inherit it unchanged or with lower limits.
 */
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
  /** How long an agent waits for an operator before it fails, in milliseconds. */
  holdMs: z
    .int()
    .min(1_000)
    .max(30 * 24 * 60 * 60 * 1_000)
    .optional(),
  /** Where the worker announces that an agent of the run waits for an operator. Default: nowhere. */
  notify: notifySchema.optional(),
  handoff: handoffSettingsSchema.optional(),
  /**
   * Shares left of the budget, the turns and the context window at which an agent is told about it, once each. Default:
   * `defaultNotices`; empty for none.
   */
  notices: z.array(z.number().gt(0).lt(1)).max(10).optional(),
  /** Maximum spending of the agent and everything below it. */
  budget: allowanceSchema.optional(),
  /** Prices by model name, for models that Baton has no price for or that have a different price. */
  prices: z.record(z.string(), priceSchema).optional(),
  /** Context windows and prices of models that agents of the run may use, as they were known when it started. */
  models: modelCatalogSchema.optional(),
  /**
   * Patterns of models whose turns have a task queue of their own, because the worker that opened the run limits them. Only
   * that worker sets it: what a client sends is ignored.
   */
  limitedModels: z.array(z.string()).max(100).optional(),
  /** Time by which the agent and everything below it must finish, ISO 8601 in UTC. */
  deadline: z.iso.datetime().optional(),
  /** Tools that `request_tool` grants or denies without asking an operator. */
  toolRequests: toolRequestsSchema.optional(),
  /** Controls of all delegations. Its `tools` apply to every agent of the run, the root included. */
  delegation: delegationControlsSchema.optional(),
  /** Grants `run_command` to the root and, as far as they take over its tools, to its delegations. Default: not granted. */
  commands: commandSettingsSchema.optional(),
  /** Calls that an operator has to approve, by every agent of the run. */
  approve: approvalRulesSchema.optional(),
  /** Whether the root agent has `ask_operator`, and with it the agents below whose prompt or skill has it. */
  ask: z.boolean().optional(),
});
export type AgentSettings = Readonly<z.infer<typeof agentSettingsSchema>>;

/** Returns only the fields of `AgentSettings` from an object that may have more. */
export function settingsOf(from: AgentSettings): AgentSettings {
  const known = Object.keys(agentSettingsSchema.shape);
  return Object.fromEntries(Object.entries(from).filter(([name]) => known.includes(name))) as AgentSettings;
}

/** Settings as a client may send them. What is omitted gets its default when the run is opened. */
export const requestedSettingsSchema = agentSettingsSchema.extend({
  runId: agentSettingsSchema.shape.runId.optional(),
  model: modelSettingsSchema.partial().optional(),
  limits: agentLimitsSchema.partial().optional(),
});

/** Settings that may lack everything except the id of the run. */
export type RequestedSettings = Readonly<z.infer<typeof requestedSettingsSchema>> & { readonly runId: string };

/**
 * Adds the defaults to the settings of a run. `preferred` is the model of the worker that opens it, and `known` are the
 * models that the worker's configuration describes. Throws an `InvalidInputError` for a model that is neither known nor
 * completely described, or whose cost could not be limited as requested.
 */
export function completeSettings(
  requested: RequestedSettings,
  preferred: ModelPreferences = {},
  known?: ModelCatalog,
): AgentSettings {
  const models = joinCatalogs(known, requested.models);
  const model = completeModel(requested.model ?? {}, preferred, models);
  if (!areComplete(requested)) requirePrice(model.name, requested.budget, requested.prices, models);
  const { limits, ...settings } = settingsOf(
    withDefaults({ ...requested, ...(models === undefined ? {} : { models }) }, model),
  );
  const { maxRepeats, maxToolTokens } = defaultLimits;
  return { ...settings, limits: { maxRepeats, maxToolTokens, ...limits } };
}

/** Whether settings differ from those that were requested: a default, a model or what is known of it was added. */
export function addsToRequest(requested: RequestedSettings, opened: AgentSettings): boolean {
  const parts = ({ model, models, limitedModels }: RequestedSettings | AgentSettings): string =>
    JSON.stringify([model, models, limitedModels]);
  const isSame = parts(requested) === parts(opened);
  return !isSame || !areComplete(requested);
}

/** Whether settings lack nothing that has a default. */
export function areComplete(requested: RequestedSettings): boolean {
  return (
    checkValue(modelSettingsSchema, requested.model).success &&
    checkValue(agentLimitsSchema, requested.limits).success &&
    requested.limits?.maxRepeats !== undefined
  );
}

/**
 * Adds defaults to the settings of a run that is not opened yet. Only queries are answered from them: the worker that
 * opens the run decides about the model.
 */
export function assumedSettings(requested: RequestedSettings): AgentSettings {
  const { window: usual } = resolveModel({});
  const {
    name = 'chosen by the worker',
    maxTokens = defaultMaxTokens,
    window = usual,
    ...model
  } = requested.model ?? {};
  return settingsOf(withDefaults(requested, { ...model, name, maxTokens, window }));
}

function withDefaults({ limits = {}, ...requested }: RequestedSettings, model: AgentSettings['model']): AgentSettings {
  const {
    maxTurns = defaultLimits.maxTurns,
    maxDepth = defaultLimits.maxDepth,
    maxChildren = defaultLimits.maxChildren,
    maxParallel = defaultLimits.maxParallel,
    maxPromptBytes = defaultLimits.maxPromptBytes,
    ...others
  } = limits;
  return { ...requested, model, limits: { maxTurns, maxDepth, maxChildren, maxParallel, maxPromptBytes, ...others } };
}
