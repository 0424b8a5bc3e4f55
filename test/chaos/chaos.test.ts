import { playUndisturbed } from './play';
import { playRound } from './round';
import type { Observation } from './observe';
import { expectedCalls, expectedDelegations } from './tree';

// Six kills: early, in the middle and late. For more, with other seeds: npm run chaos -- --seed 100 --rounds 20
const seeds = [5, 8, 9, 28];

describe('a tree of delegations whose worker is killed at random moments', () => {
  let expected: Observation;
  beforeAll(async () => {
    expected = await playUndisturbed();
  });

  test('completes without a kill, with every call and every delegation made once', () => {
    expect(Object.values(expected.requests).flat()).toHaveLength(expectedCalls);
    expect(expected.executions).toEqual(Array.from({ length: expectedDelegations + 1 }, () => 1));
    expect(Object.values(expected.told).flat().join('\n')).not.toContain('failed');
    expect(expected.answer).toContain('delta-one/2');
    expect(Object.keys(expected.artifacts)).toContain('alpha-one.md');
  });

  // Concurrently, because most of a round is spent waiting until the server notices the dead worker.
  test('has the same result, runs no delegation twice and repeats no call that was answered', async () => {
    const rounds = await Promise.all(seeds.map((seed) => playRound(seed, expected)));
    expect(rounds.flatMap(({ seed, violations }) => violations.map((what) => `seed ${seed}: ${what}`))).toEqual([]);
  }, 180_000);
});
