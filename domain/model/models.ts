import { z } from 'zod';
import { InvalidInputError } from '../kernel';
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
 * Models whose context window and price Baton knows. Other models work too, if the run specifies their context window.
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
}

/**
 * Applies the defaults to a run's model settings: `name` is `defaultModel`, `maxTokens` is 8,192, and `window` is that of
 * the known model. Throws an `InvalidInputError` for an unknown model without `window`, because its context usage could
 * not be limited.
 */
export function resolveModel({
  name = defaultModel,
  maxTokens = defaultMaxTokens,
  window,
  temperature,
}: ModelPreferences): ModelSettings {
  const known = Object.hasOwn(knownModels, name) ? knownModels[name] : undefined;
  const contextWindow = window ?? known?.window;
  if (contextWindow === undefined) {
    throw new InvalidInputError(
      'model',
      `"${name}" is not a known model`,
      `Use one of ${Object.keys(knownModels).join(', ')}, or pass the context window of your model in tokens with --window.`,
    );
  }
  if (maxTokens >= contextWindow) {
    throw new InvalidInputError(
      'maxTokens',
      `${maxTokens} leaves no room for input in a context window of ${contextWindow} tokens`,
      'Use a smaller value.',
    );
  }
  return { name, maxTokens, window: contextWindow, ...(temperature === undefined ? {} : { temperature }) };
}

/** An agent's model and the parameters of its calls. The first entry of the agent's transcript contains them. */
export const modelSettingsSchema = z.strictObject({
  name: z.string().min(1).max(100),
  /** Maximum output tokens per reply. */
  maxTokens: z.int().positive().max(1_000_000),
  /** Size of the model's context window in tokens. Context usage is measured against it. */
  window: z.int().positive().max(100_000_000),
  temperature: z.number().min(0).max(1).optional(),
});
/** An agent's model and the parameters of its calls. */
export type ModelSettings = Readonly<z.infer<typeof modelSettingsSchema>>;

/**
 * Completes the model settings of a run: what the run specifies, then what `preferred` does, then the defaults. Complete
 * settings are returned as they are. Throws like `resolveModel`.
 */
export function completeModel(wanted: ModelPreferences, preferred: ModelPreferences): ModelSettings {
  const complete = modelSettingsSchema.safeParse(wanted);
  if (complete.success) return complete.data;
  // Another model has another context window.
  const isAnother = wanted.name !== undefined && wanted.name !== preferred.name;
  return resolveModel({
    name: wanted.name ?? preferred.name,
    maxTokens: wanted.maxTokens ?? preferred.maxTokens,
    window: wanted.window ?? (isAnother ? undefined : preferred.window),
    temperature: wanted.temperature ?? preferred.temperature,
  });
}

export type PriceTable = Readonly<Record<string, Price>>;

/** Default prices in US dollars per million tokens. Prices in the settings of a run take precedence. */
export const knownPrices: PriceTable = Object.fromEntries(
  Object.entries(knownModels).map(([name, { price }]) => [name, price]),
);

/** Returns the price of a model; undefined when it is neither configured nor known. */
export function findPrice(model: string, configured: PriceTable = {}): Price | undefined {
  if (Object.hasOwn(configured, model)) return configured[model];
  return Object.hasOwn(knownPrices, model) ? knownPrices[model] : undefined;
}
