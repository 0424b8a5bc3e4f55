import { z } from 'zod';
import { checkValue, InvalidInputError } from '../kernel';
import { configuredPrice, maxTokensSchema, type ModelCatalog, type ModelFacts, windowSchema } from './model-catalog';
import { modelNameSchema } from './model-name';
import type { Price } from './prices';

interface KnownModel {
  /** Size of the context window in tokens, a conservative value. Context usage is measured against it. */
  readonly window: number;
  /** Default price. Prices change and contracts differ, so `prices` in the settings of a run takes precedence. */
  readonly price: Price;
}

/** Derives the cache prices: writing to the provider's cache costs 125 % of plain input, reading from it 10 %. */
function priced(input: number, output: number): Price {
  return { input, cacheRead: input / 10, cacheWrite: input * 1.25, output };
}

const opus: KnownModel = { window: 200_000, price: priced(5, 25) };
const sonnet: KnownModel = { window: 200_000, price: priced(3, 15) };
const haiku: KnownModel = { window: 200_000, price: priced(1, 5) };

/**
 * Models whose context window and price Baton knows. Other models work too, if the run specifies their context window or
 * a models file describes them.
 */
export const knownModels: Readonly<Record<string, KnownModel>> = {
  'claude-sonnet-5-5': sonnet,
  'claude-haiku-5-5': haiku,
  'claude-opus-5-5': opus,
  'claude-sonnet-5': sonnet,
  'claude-opus-5': opus,
  'claude-opus-4-8': opus,
  'claude-opus-4-7': opus,
  'claude-opus-4-6': opus,
  'claude-sonnet-4-6': sonnet,
  'claude-haiku-4-5': haiku,
};

/** Model of a run that specifies none. */
export const defaultModel = 'claude-sonnet-5-5';
/** Maximum output tokens per reply for a run that specifies none. */
export const defaultMaxTokens = 8_192;

/** What is known of a model's settings before the defaults are applied. */
export interface ModelPreferences {
  readonly name?: string | undefined;
  readonly maxTokens?: number | undefined;
  readonly window?: number | undefined;
  readonly temperature?: number | undefined;
  /** Names of the models that take over when this one can't be used, in order. Default: none. */
  readonly fallback?: readonly string[] | undefined;
}

/** Returns what is known of a model: from the configuration, or built in. Undefined when nothing is. */
export function findFacts(name: string, models: ModelCatalog = {}): ModelFacts | undefined {
  if (Object.hasOwn(models, name)) return models[name];
  return Object.hasOwn(knownModels, name) ? knownModels[name] : undefined;
}

/**
 * Applies the defaults to a run's model settings: `name` is `defaultModel`, `maxTokens` is 8,192 or what the model allows,
 * and `window` is that of the model in `models`, or of the known model. Throws an `InvalidInputError` for an unknown model
 * without `window`, because its context usage could not be limited.
 */
export function resolveModel(wanted: ModelPreferences, models: ModelCatalog = {}): ModelSettings {
  const { name = defaultModel, temperature, fallback = [] } = wanted;
  const facts = findFacts(name, models);
  const window = wanted.window ?? facts?.window;
  if (window === undefined) throw unknownModel(name);
  const most = facts?.maxTokens ?? Infinity;
  const maxTokens = wanted.maxTokens ?? Math.min(defaultMaxTokens, most);
  if (maxTokens > most) throw tooLong(maxTokens, `more than the ${most} that the models file allows for "${name}"`);
  if (maxTokens >= window) throw tooLong(maxTokens, `leaves no room for input in a context window of ${window} tokens`);
  return {
    name,
    maxTokens,
    window,
    ...(temperature === undefined ? {} : { temperature }),
    ...(fallback.length === 0 ? {} : { fallback: [...fallback] }),
  };
}

function unknownModel(name: string): InvalidInputError {
  const known = Object.keys(knownModels).join(', ');
  return new InvalidInputError(
    'model',
    `"${name}" is not a known model`,
    `Use one of ${known}, pass the context window of your model in tokens with --window, or describe the model in a file for --models (BATON_MODELS).`,
  );
}

function tooLong(maxTokens: number, why: string): InvalidInputError {
  return new InvalidInputError('maxTokens', `${maxTokens} ${why}`, 'Use a smaller value.');
}

/** Names of the models that take over when another one can't be used, in order. */
export const fallbackSchema = z
  .array(modelNameSchema)
  .max(8)
  .refine((names) => new Set(names).size === names.length, 'must not name a model twice');

/** An agent's model and the parameters of its calls. The first entry of the agent's transcript contains them. */
export const modelSettingsSchema = z.strictObject({
  name: modelNameSchema,
  /** Maximum output tokens per reply. */
  maxTokens: maxTokensSchema,
  /** Size of the model's context window in tokens. Context usage is measured against it. */
  window: windowSchema,
  temperature: z.number().min(0).max(1).optional(),
  /** Models that take over when this one can't be used, in order. Default: none. */
  fallback: fallbackSchema.optional(),
});
/** An agent's model and the parameters of its calls. */
export type ModelSettings = Readonly<z.infer<typeof modelSettingsSchema>>;

/**
 * Completes the model settings of a run: what the run specifies, then what `preferred` does, then the defaults. Complete
 * settings are returned as they are. Throws like `resolveModel`.
 */
export function completeModel(
  wanted: ModelPreferences,
  preferred: ModelPreferences,
  models: ModelCatalog = {},
): ModelSettings {
  const complete = checkValue(modelSettingsSchema, wanted);
  if (complete.success) return complete.data;
  // Another model has another context window, and other models to take over.
  const isAnother = wanted.name !== undefined && wanted.name !== preferred.name;
  const name = wanted.name ?? preferred.name;
  return resolveModel(
    {
      name,
      maxTokens: wanted.maxTokens ?? preferred.maxTokens,
      window: wanted.window ?? (isAnother ? undefined : preferred.window),
      temperature: wanted.temperature ?? preferred.temperature,
      fallback: wanted.fallback ?? (isAnother ? undefined : preferred.fallback),
    },
    models,
  );
}

export type PriceTable = Readonly<Record<string, Price>>;

/** Default prices in US dollars per million tokens. Prices in the settings of a run take precedence. */
export const knownPrices: PriceTable = Object.fromEntries(
  Object.entries(knownModels).map(([name, { price }]) => [name, price]),
);

/** Returns the price of a model; undefined when it is neither configured nor known. */
export function findPrice(model: string, configured: PriceTable = {}, models: ModelCatalog = {}): Price | undefined {
  if (Object.hasOwn(configured, model)) return configured[model];
  const { price } = Object.hasOwn(models, model) ? (models[model] ?? {}) : {};
  if (price !== undefined) return configuredPrice(price);
  return Object.hasOwn(knownPrices, model) ? knownPrices[model] : undefined;
}
