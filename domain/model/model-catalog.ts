import { z } from 'zod';
import { checkValue, firstIssue, InvalidInputError } from '../kernel';
import { modelNameSchema } from './model-name';
import { type Price, priceSchema } from './prices';

/** Output tokens of a reply, and tokens of a context window. */
export const maxTokensSchema = z.int().positive().max(1_000_000);
export const windowSchema = z.int().positive().max(100_000_000);

/** What a configuration tells about one model. */
const modelFactsSchema = z
  .strictObject({
    /** Size of the context window in tokens. */
    window: windowSchema,
    /** Most output tokens that the model returns in one reply. Default: not limited. */
    maxTokens: maxTokensSchema.optional(),
    /**
     * Price in US dollars per million tokens. Default: unknown, so that costs are neither counted nor limited. Omitted
     * prices of the cache are on the safe side: reading costs as much as plain input, writing 125 % of it.
     */
    price: priceSchema.partial({ cacheRead: true, cacheWrite: true }).optional(),
  })
  .refine(({ window, maxTokens }) => maxTokens === undefined || maxTokens < window, {
    path: ['maxTokens'],
    message: 'leaves no room for input in the context window',
  });
export type ModelFacts = Readonly<z.infer<typeof modelFactsSchema>>;

/** Maximum bytes of all models together, as JSON: the settings of every agent contain them. */
const maxCatalogBytes = 8 * 1024;

/** Context windows and prices by model name, for models that Baton does not know or that have other ones. */
export const modelCatalogSchema = z
  .record(modelNameSchema, modelFactsSchema)
  .refine(
    (models) => new TextEncoder().encode(JSON.stringify(models)).length <= maxCatalogBytes,
    `must be at most ${maxCatalogBytes} bytes as JSON; list only the models that runs use`,
  );
/** Context windows and prices by model name, for models that Baton does not know or that have other ones. */
export type ModelCatalog = Readonly<Record<string, ModelFacts>>;

/**
 * Joins two catalogs; where both describe a model, `preferred` counts. Undefined when both are empty. Throws an
 * `InvalidInputError` if the result is not valid.
 */
export function joinCatalogs(
  base: ModelCatalog | undefined,
  preferred: ModelCatalog | undefined,
): ModelCatalog | undefined {
  const joined = { ...base, ...preferred };
  if (Object.keys(joined).length === 0) return undefined;
  const { error } = checkValue(modelCatalogSchema, joined);
  if (error === undefined) return joined;
  const { path, reason } = firstIssue(error);
  throw new InvalidInputError(['models', ...path].join('.'), reason, 'Correct the models of the run or of the worker.');
}

/** Returns the complete price that a configuration tells. */
export function configuredPrice(price: NonNullable<ModelFacts['price']>): Price {
  const { input, output, cacheRead = input, cacheWrite = input * 1.25 } = price;
  return { input, output, cacheRead, cacheWrite };
}
