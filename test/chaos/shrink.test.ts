import type { ChaosOptions } from './options';
import type { RoundPlan } from './play-round';
import { explainFailure, shrink } from './shrink';

/** Fails if all of these faults are played. Records what was tried. */
function failingWith(...needed: number[]): { tried: string[]; fails: (only: readonly number[]) => Promise<boolean> } {
  const tried: string[] = [];
  return {
    tried,
    fails(only) {
      tried.push(only.join(','));
      return Promise.resolve(needed.every((position) => only.includes(position)));
    },
  };
}

test('faults are left out one after the other, as long as the round still fails', async () => {
  const { tried, fails } = failingWith(2, 4);
  expect(await shrink([1, 2, 3, 4], fails)).toEqual([2, 4]);
  expect(tried).toEqual(['2,3,4', '3,4', '2,4', '2']);
});

test('a fault that is enough by itself is left, and a round without faults is not tried', async () => {
  const { tried, fails } = failingWith(3);
  expect(await shrink([1, 2, 3], fails)).toEqual([3]);
  expect(tried).toEqual(['2,3', '3']);
});

describe('a failed round is explained', () => {
  const options = { rounds: 5, seed: 1, maxAgents: 5, faults: [], keepGoing: false } as unknown as ChaosOptions;
  const explain = async (strikes: number, needed: number[], more: Partial<ChaosOptions> = {}): Promise<string[]> => {
    const lines: string[] = [];
    const plan = { seed: 7, strikes: new Array(strikes).fill({}) as RoundPlan['strikes'] };
    const { fails } = failingWith(...needed);
    for await (const line of explainFailure(plan, { ...options, ...more }, fails)) lines.push(line);
    return lines;
  };
  const again = 'npm run chaos -- --seed 7 --rounds 1 --agents 5 --faults none';

  test('with the command that plays it again, and with one that needs fewer faults', async () => {
    expect(await explain(3, [2])).toEqual([`Again: ${again}`, `It also fails with fewer faults: ${again} --only 2`]);
    expect(await explain(2, [3, 5], { only: [3, 5] })).toEqual([
      `Again: ${again} --only 3,5`,
      'It did not fail with fewer of its faults.',
    ]);
  });

  test('without playing it again if it has at most one fault', async () => {
    expect(await explain(1, [])).toEqual([`Again: ${again}`]);
    expect(await explain(0, [])).toEqual([`Again: ${again}`]);
  });
});
