import * as fc from 'fast-check';
import { addEstimates, estimateCall } from '../../../domain/budget';
import { costOf, type Price, totalTokens } from '../../../domain/model';

const price: Price = { input: 3, cacheRead: 0.3, cacheWrite: 3.75, output: 15 };
const base = { promptBytes: 3_000, toolBytes: 0, conversationTokens: 0, maxTokens: 100, price };

describe('the estimate of a call', () => {
  test('assumes 3 bytes per token, the most expensive kind of input and the longest reply', () => {
    expect(estimateCall(base)).toEqual({ tokens: 1_100, microUsd: 1_000 * 3.75 + 100 * 15, turns: 1 });
  });

  test('includes tools, and what the provider adds for them', () => {
    expect(estimateCall({ ...base, toolBytes: 300 }).tokens).toBe(1_100 + 500 + 100);
  });

  test('counts prompt and tools once in a running conversation, plus what is new', () => {
    expect(estimateCall({ ...base, conversationTokens: 5_000, newBytes: 31 }).tokens).toBe(5_000 + 11 + 100);
    expect(estimateCall({ ...base, conversationTokens: 10 }).tokens).toBe(1_100);
  });

  test('has no cost without a price', () => {
    expect(estimateCall({ ...base, price: undefined }).microUsd).toBe(0);
  });

  test('can be added to another', () => {
    const twice = { tokens: 2_200, microUsd: 10_500, turns: 2 };
    expect(addEstimates(estimateCall(base), estimateCall(base))).toEqual(twice);
  });

  test('is never less than what a call of that size costs, however its input was cached', () => {
    const perMillion = fc.integer({ min: 0, max: 100_000 }).map((cents) => cents / 100);
    const prices = fc.record({ input: perMillion, cacheRead: perMillion, cacheWrite: perMillion, output: perMillion });
    const tokens = fc.nat(200_000);
    const usages = fc.record({ input: tokens, cacheRead: tokens, cacheWrite: tokens, output: tokens });
    fc.assert(
      fc.property(prices, usages, (anyPrice, usage) => {
        const conversationTokens = totalTokens(usage) - usage.output;
        const size = { promptBytes: 0, toolBytes: 0, conversationTokens, maxTokens: usage.output, price: anyPrice };
        const estimate = estimateCall(size);
        expect(estimate.tokens).toBe(totalTokens(usage));
        expect(estimate.microUsd).toBeGreaterThanOrEqual(costOf(anyPrice, usage));
      }),
      { numRuns: 1_000 },
    );
  });
});
