import { z } from 'zod';
import type { FailureType } from '../kernel';
import type { ModelCatalog } from './model-catalog';
import { findFacts, type ModelPreferences, type ModelSettings, resolveModel } from './models';

/**
 * Returns the settings with which an agent continues with another model. A reply may use at most half of its context
 * window. Models that were to take over still are. Throws like `resolveModel`.
 */
export function anotherModel(now: ModelSettings, wanted: ModelPreferences, models?: ModelCatalog): ModelSettings {
  const name = wanted.name ?? now.name;
  const window = wanted.window ?? (name === now.name ? now.window : undefined);
  const fallback = wanted.fallback ?? now.fallback?.filter((other) => other !== name);
  const chosen = resolveModel({ name, window, maxTokens: 1, temperature: now.temperature, fallback }, models);
  const most = findFacts(name, models)?.maxTokens ?? Infinity;
  return {
    ...chosen,
    maxTokens: Math.min(wanted.maxTokens ?? now.maxTokens, Math.floor(chosen.window / 2), most),
  };
}

/** Returns the settings of the model that takes over; undefined when there is none left. */
export function nextModel(now: ModelSettings, models?: ModelCatalog): ModelSettings | undefined {
  const [name, ...fallback] = now.fallback ?? [];
  return name === undefined ? undefined : anotherModel(now, { name, fallback }, models);
}

/** Failures that another model need not have. Others are about the request, the answer, or the key of the worker. */
const outages: ReadonlySet<string> = new Set<FailureType>([
  'Model.RateLimited',
  'Model.Overloaded',
  'Model.ServerError',
  'Model.TimedOut',
  'Model.Conflict',
  'Model.Unreachable',
  'Model.NotFound',
  'Model.SpendLimit',
]);

/** Whether a model call failed because the model can't be used at the moment, so that another one may take over. */
export function isOutage(type: string | undefined): type is FailureType {
  return type !== undefined && outages.has(type);
}

/** A model that another one replaced, and why. */
export const fallbackRecordSchema = z.object({
  /** The turn that the model failed in, 1-based. */
  turn: z.int().positive(),
  from: z.string(),
  to: z.string(),
  /** Failure type. */
  type: z.string(),
  message: z.string(),
  /** Workflow time of the change, ISO 8601. */
  at: z.string(),
});
export type FallbackRecord = Readonly<z.infer<typeof fallbackRecordSchema>>;

/** Formats the change to another model in one line. */
export function formatFallback({ turn, from, to, type, message }: FallbackRecord): string {
  return `turn ${turn}: ${from} failed, and ${to} took over (${type}: ${message.replace(/\.$/, '')})`;
}
