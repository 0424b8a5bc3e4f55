import { remembered } from '../../../temporal-config/node/activity-workers';

describe('the number of workers that share a task queue', () => {
  test('is asked for once in ten seconds, for each task queue, and is at least one', async () => {
    const asked: string[] = [];
    let now = 0;
    const count = remembered(
      (taskQueue) => {
        asked.push(taskQueue);
        return Promise.resolve(asked.length === 1 ? 0 : 3);
      },
      () => now,
    );
    expect(await Promise.all([count('a'), count('a'), count('b')])).toEqual([1, 1, 3]);
    now = 9_999;
    expect(await count('a')).toBe(1);
    now = 10_000;
    expect(await count('a')).toBe(3);
    expect(asked).toEqual(['a', 'b', 'a']);
  });

  test('stays what it was if there is no answer, and is one if there never was one', async () => {
    const answers = [Promise.reject(new Error('not allowed')), Promise.resolve(4), Promise.reject(new Error('gone'))];
    let now = 0;
    const count = remembered(
      () => answers.shift() ?? Promise.resolve(0),
      () => now,
    );
    const counts: number[] = [];
    for (; now < 30_000; now += 10_000) counts.push(await count('a'));
    expect(counts).toEqual([1, 4, 4]);
  });
});
