import { z } from 'zod';
import { InvalidInputError } from '../kernel';
import { maxTokensSchema, type ModelCatalog, windowSchema } from './model-catalog';
import { modelNameSchema } from './model-name';
import { defaultMaxTokens, fallbackSchema, findFacts, type ModelSettings, resolveModel } from './models';

/** Model settings of a skill or a prompt. Omitted fields are taken from the run. */
export const modelWishesSchema = z
  .strictObject({
    name: modelNameSchema.optional(),
    maxTokens: maxTokensSchema.optional(),
    window: windowSchema.optional(),
    temperature: z.number().min(0).max(1).optional(),
    /** An empty list means that no model takes over, whatever the run says. */
    fallback: fallbackSchema.optional(),
  })
  .superRefine((wishes, check) => {
    try {
      resolveModel(wishes);
    } catch (error) {
      if (!(error instanceof InvalidInputError)) throw error;
      // A models file may describe a model that is unknown here.
      if (error.field !== 'model') check.addIssue({ code: 'custom', path: [error.field], message: error.reason });
    }
  });
/** Model settings of a skill or a prompt. Omitted fields are taken from the run. */
export type ModelWishes = Readonly<z.infer<typeof modelWishesSchema>>;

/**
 * Returns the model of an agent whose skill or prompt has wishes, and whose parent or run has `given`. Throws like
 * `resolveModel`.
 */
export function wishedModel(wishes: ModelWishes, given: ModelSettings, models?: ModelCatalog): ModelSettings {
  const isAnother = wishes.name !== undefined && wishes.name !== given.name;
  const name = wishes.name ?? given.name;
  const most = findFacts(name, models)?.maxTokens ?? Infinity;
  return resolveModel(
    {
      name,
      // A different model may have a smaller context window, into which the parent's output limit does not fit.
      maxTokens: wishes.maxTokens ?? (isAnother ? Math.min(given.maxTokens, defaultMaxTokens, most) : given.maxTokens),
      window: wishes.window ?? (isAnother ? undefined : given.window),
      temperature: wishes.temperature ?? given.temperature,
      fallback: wishes.fallback ?? (isAnother ? undefined : given.fallback),
    },
    models,
  );
}

/** Whether a skill or a prompt has any wish. */
export function hasWishes(wishes: ModelWishes | undefined): wishes is ModelWishes {
  return wishes !== undefined && Object.values(wishes).some((wish) => wish !== undefined);
}
