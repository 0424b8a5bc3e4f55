import type { Reading } from '../../scripts/soak/readings';
import { levelsOf, tableOf } from '../../scripts/soak/verdict';

const MiB = 1024 * 1024;

const level: Reading = {
  at: 0,
  resident: 300 * MiB,
  mainHeap: 60 * MiB,
  sandboxHeap: 50 * MiB,
  openFiles: 40,
  temporaryFiles: 1,
  storeBytes: 2 * MiB,
  storeFiles: 800,
  backlog: 0,
  openWorkflows: 6,
  serverMemory: 200 * MiB,
  serverDatabase: 9 * MiB,
};

/** A hundred readings, of which one field is computed from their number. */
function series(field: keyof Reading, valueAt: (index: number) => number): Reading[] {
  return Array.from({ length: 100 }, (_, index) => ({ ...level, at: index * 1_000, [field]: valueAt(index) }));
}

const grown = (readings: readonly Reading[]): string[] =>
  levelsOf(readings, 10_000)
    .filter(({ isExceeded }) => isExceeded)
    .map(({ name }) => name);

describe('the levels of a soak', () => {
  test.each([
    ['resident', 'resident memory of a worker, MiB', 1.5 * MiB],
    ['mainHeap', 'heap of its main thread, MiB', 0.2 * MiB],
    ['sandboxHeap', 'heap of its workflow threads, MiB', 0.2 * MiB],
    ['openFiles', 'open files of a worker', 0.5],
    ['temporaryFiles', 'temporary files', 0.5],
    ['storeBytes', 'store, MiB', 0.1 * MiB],
    ['storeFiles', 'files of the store', 20],
    ['backlog', 'tasks that wait in queues', 1],
    ['openWorkflows', 'open workflows', 1],
  ] as const)('a steady growth of %s is reported', (field, name, step) => {
    expect(grown(series(field, (index) => level[field] + index * step))).toEqual([name]);
  });

  test('what is level, rises only at the beginning, or jumps now and then is not reported', () => {
    expect(grown(series('mainHeap', () => level.mainHeap))).toEqual([]);
    expect(grown(series('mainHeap', (index) => level.mainHeap * Math.min(1, 0.5 + index / 16)))).toEqual([]);
    expect(grown(series('mainHeap', (index) => level.mainHeap * (index % 10 === 0 ? 4 : 1)))).toEqual([]);
  });

  test('the database of the server may grow, because closed workflows are kept for their retention period', () => {
    expect(grown(series('serverDatabase', (index) => index * 10 * MiB))).toEqual([]);
  });

  test('are a table with a verdict for each line, or without one if the time was too short', () => {
    const levels = levelsOf(
      series('openFiles', (index) => 40 + index),
      10_000,
    );
    const row = (isJudged: boolean): readonly string[] =>
      tableOf(levels, isJudged).find(([name]) => name === 'open files of a worker') ?? [];
    expect(row(true)).toEqual(['open files of a worker', '61.0', '129', '139', '77.1', 'GROWS']);
    expect(row(false)).toEqual(['open files of a worker', '61.0', '129', '139', '77.1']);
  });
});
