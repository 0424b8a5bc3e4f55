import fc from 'fast-check';
import { completeSettings, defaultLimits } from '../../../domain/agent';
import { requirePrice } from '../../../domain/budget';
import { requireFallback } from '../../../domain/handoff';
import {
  anotherModel,
  defaultModel,
  findPrice,
  isOutage,
  joinCatalogs,
  knownModels,
  type ModelCatalog,
  modelSettingsSchema,
  modelWishesSchema,
  nextModel,
  resolveModel,
  wishedModel,
} from '../../../domain/model';

const models: ModelCatalog = {
  'openai:gpt-5': { window: 400_000, maxTokens: 4_000, price: { input: 2, output: 10 } },
  'ollama:tiny': { window: 8_000, maxTokens: 2_000 },
  [defaultModel]: { window: 1_000_000, price: { input: 1, output: 2, cacheRead: 0.5, cacheWrite: 3 } },
};

describe('models that a configuration describes', () => {
  test('have its window and price, which take precedence over those that are built in', () => {
    expect(resolveModel({ name: 'openai:gpt-5' }, models)).toEqual({
      name: 'openai:gpt-5',
      maxTokens: 4_000,
      window: 400_000,
    });
    expect(resolveModel({}, models).window).toBe(1_000_000);
    expect(resolveModel({ name: 'openai:gpt-5', window: 9_000, maxTokens: 10 }, models).window).toBe(9_000);
    expect(findPrice(defaultModel, {}, models)).toEqual({ input: 1, output: 2, cacheRead: 0.5, cacheWrite: 3 });
    expect(findPrice(defaultModel, { [defaultModel]: knownModels[defaultModel]!.price }, models)?.input).toBe(3);
    expect(findPrice('ollama:tiny', {}, models)).toBeUndefined();
    expect(findPrice('constructor', {}, {})).toBeUndefined();
  });

  test('cost as much from the cache as plain input, if nothing says otherwise, so that no budget is exceeded', () => {
    expect(findPrice('openai:gpt-5', {}, models)).toEqual({ input: 2, output: 10, cacheRead: 2, cacheWrite: 2.5 });
    expect(() => requirePrice('openai:gpt-5', { microUsd: 1 }, undefined, models)).not.toThrow();
    expect(() => requirePrice('ollama:tiny', { microUsd: 1 }, undefined, models)).toThrow(/--price, --models/);
  });

  test('do not reply longer than it says', () => {
    expect(() => resolveModel({ name: 'openai:gpt-5', maxTokens: 4_001 }, models)).toThrow(
      'maxTokens: 4001 more than the 4000 that the models file allows for "openai:gpt-5"',
    );
    expect(() => resolveModel({ name: 'openai:gpt-6' }, models)).toThrow(/--window.*--models \(BATON_MODELS\)/);
  });

  test('are those of the worker and of the run, which takes precedence', () => {
    expect(joinCatalogs(undefined, {})).toBeUndefined();
    expect(joinCatalogs({ a: { window: 1 }, b: { window: 1 } }, { b: { window: 2 } })).toEqual({
      a: { window: 1 },
      b: { window: 2 },
    });
    expect(() => joinCatalogs(undefined, { a: { window: 0 } })).toThrow(/^models\.a\.window: /);
    const settings = completeSettings({ runId: 'r', model: { name: 'ollama:tiny', maxTokens: 9 } }, {}, models);
    expect(settings).toMatchObject({ model: { window: 8_000 }, models });
    expect(completeSettings({ runId: 'r' })).not.toHaveProperty('models');
  });

  test('keep their names, with the provider, whatever they contain', () => {
    const arn = `bedrock:arn:aws:bedrock:eu-central-1:123456789012:inference-profile/${'x'.repeat(80)}:0`;
    expect(modelSettingsSchema.parse({ name: arn, maxTokens: 1, window: 2 }).name).toBe(arn);
    for (const name of ['', 'a b', 'a\n', 'x'.repeat(201)])
      expect(modelSettingsSchema.safeParse({ name, maxTokens: 1, window: 2 }).success).toBe(false);
  });
});

const given = { name: defaultModel, maxTokens: 8_192, window: 200_000, fallback: ['openai:gpt-5'] };

describe('a skill or a prompt', () => {
  test('may have another model, with its own window, reply and fallback', () => {
    expect(wishedModel({ name: 'openai:gpt-5' }, given, models)).toEqual({
      name: 'openai:gpt-5',
      maxTokens: 4_000,
      window: 400_000,
    });
    expect(wishedModel({ maxTokens: 7 }, given, models)).toEqual({ ...given, maxTokens: 7 });
    expect(wishedModel({ fallback: [] }, given, models)).not.toHaveProperty('fallback');
    expect(wishedModel({ name: 'ollama:tiny', fallback: [defaultModel] }, given, models).fallback).toEqual([
      defaultModel,
    ]);
    expect(() => wishedModel({ name: 'nobody' }, given, models)).toThrow('"nobody" is not a known model');
  });

  test('may name a model that only the worker knows, but no impossible reply', () => {
    expect(modelWishesSchema.safeParse({ name: 'nobody' }).success).toBe(true);
    const { error } = modelWishesSchema.safeParse({ name: 'nobody', window: 10, maxTokens: 10 });
    expect(error?.issues).toMatchObject([{ path: ['maxTokens'] }]);
    expect(modelWishesSchema.safeParse({ fallback: ['a', 'a'] }).success).toBe(false);
  });
});

describe('a model that takes over', () => {
  test('has its own window, and a reply that fits', () => {
    const next = nextModel({ ...given, temperature: 0.5 }, models);
    expect(next).toEqual({ name: 'openai:gpt-5', maxTokens: 4_000, window: 400_000, temperature: 0.5 });
    expect(nextModel(next!, models)).toBeUndefined();
    expect(anotherModel(given, { name: 'openai:gpt-5' }, models)).not.toHaveProperty('fallback');
  });

  test.each(['Model.RateLimited', 'Model.Overloaded', 'Model.ServerError', 'Model.Unreachable', 'Model.SpendLimit'])(
    'may do so after %s',
    (type) => {
      expect(isOutage(type)).toBe(true);
    },
  );

  test.each([
    'Model.Refused',
    'Model.BadRequest',
    'Model.BadReply',
    'Model.Unauthorized',
    'Budget.Exceeded',
    undefined,
  ])('does not after %s', (type) => {
    expect(isOutage(type)).toBe(false);
  });

  test('is refused if a conversation of the other one might not fit, and has room for any if it is accepted', () => {
    const number = fc.integer({ min: 1, max: 1_000_000 });
    fc.assert(
      fc.property(number, number, fc.double({ min: 0.01, max: 1, noNaN: true }), (window, other, at) => {
        const model = { name: 'a', maxTokens: 1, window: window + 1, fallback: ['b'] };
        const settings = {
          model,
          models: { b: { window: other + 1 } },
          handoff: { at, max: 1 },
          limits: defaultLimits,
        };
        const conversation = Math.floor(at * model.window);
        const fits = other + 1 >= conversation + 1;
        if (fits) expect(() => requireFallback(settings)).not.toThrow();
        else expect(() => requireFallback(settings)).toThrow(/is too small.*--handoff-at/);
      }),
    );
  });
});
