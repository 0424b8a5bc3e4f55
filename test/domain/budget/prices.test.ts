import { requirePrice } from '../../../domain/budget';
import { costOf, defaultModel, findPrice, knownModels, noUsage, priceSchema } from '../../../domain/model';
import { knownPrices } from '../../../domain/model/models';

const own = { input: 1, cacheRead: 2, cacheWrite: 3, output: 4 };

describe('prices', () => {
  test('are known for every known model, in the format of the configuration', () => {
    expect(Object.keys(knownPrices)).toEqual(Object.keys(knownModels));
    for (const price of Object.values(knownPrices)) expect(priceSchema.parse(price)).toEqual(price);
  });

  test('for the cache follow from the input price: writing costs a quarter more, reading a tenth', () => {
    expect(findPrice('claude-sonnet-4-6')).toEqual({ input: 3, cacheRead: 0.3, cacheWrite: 3.75, output: 15 });
  });

  test('in the configuration take precedence', () => {
    expect(findPrice(defaultModel, { [defaultModel]: own })).toEqual(own);
    expect(findPrice('mine', { mine: own })).toEqual(own);
    expect(findPrice(defaultModel, { mine: own })).toEqual(knownPrices[defaultModel]);
  });

  test('of unknown models are not guessed', () => {
    expect(findPrice('mine')).toBeUndefined();
    expect(findPrice('constructor')).toBeUndefined();
    expect(findPrice('constructor', {})).toBeUndefined();
  });

  test('are required for a cost budget', () => {
    expect(() => requirePrice('mine', { microUsd: 5 })).toThrow(
      'budget.microUsd: the price of "mine" is unknown, so a cost budget cannot be enforced. Add its price to `prices` or to the models file (--price, --models), or set a token budget instead.',
    );
    expect(() => requirePrice('mine', { microUsd: 5 }, { mine: own })).not.toThrow();
    expect(() => requirePrice('mine', { tokens: 5 })).not.toThrow();
    expect(() => requirePrice('mine', undefined)).not.toThrow();
  });
});

describe('the cost of a call', () => {
  test('is counted by kind, in millionths of a dollar', () => {
    expect(costOf(own, { input: 1_000, cacheRead: 100, cacheWrite: 10, output: 1 })).toBe(1_234);
  });

  test('is rounded up, but not because of floating-point errors', () => {
    const price = { ...own, input: 0.55 };
    expect(costOf(price, { ...noUsage, input: 1 })).toBe(1);
    expect(costOf(price, { ...noUsage, input: 100 })).toBe(55);
  });

  test('of nothing is 0', () => {
    expect(costOf(own, noUsage)).toBe(0);
  });
});
