import fc from 'fast-check';
import { cacheReadShare, cacheReadShares, noUsage } from '../../../domain/model';

const usage = { input: 100, cacheRead: 600, cacheWrite: 300, output: 5_000 };

test('the cache-read share counts all input tokens and no output', () => {
  expect(cacheReadShare(usage)).toBe(0.6);
  expect(cacheReadShare({ ...usage, cacheRead: 0 })).toBe(0);
  expect(cacheReadShare({ ...noUsage, output: 7 })).toBeNull();
  expect(cacheReadShare({ ...noUsage, cacheRead: 1, input: 2 })).toBe(0.3333);
});

test('what is not known has no share', () => {
  expect(cacheReadShares(usage, null)).toEqual({ own: 0.6, withDelegations: null });
  expect(cacheReadShares(null, usage)).toEqual({ own: null, withDelegations: 0.6 });
});

test('a share is between 0 and 1', () => {
  const count = fc.nat();
  fc.assert(
    fc.property(count, count, count, (input, cacheRead, cacheWrite) => {
      const share = cacheReadShare({ input, cacheRead, cacheWrite, output: 1 });
      if (share === null) expect(input + cacheRead + cacheWrite).toBe(0);
      else expect(share >= 0 && share <= 1).toBe(true);
    }),
  );
});
