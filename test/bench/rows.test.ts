import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toJson, toTable } from '../../bench/runner/output';
import { writePage } from '../../bench/runner/page';
import { playRounds } from '../../bench/runner/pairs';
import { compared, isWithinBound, measured } from '../../bench/runner/rows';
import { noise } from '../../bench/workloads';

const time = { name: 'turns', unit: 'ms', wants: 'less' } as const;
const throughput = { name: 'children', unit: 'children/s', wants: 'more' } as const;

describe('a figure', () => {
  test('is the ratio of medians, with the lowest and highest ratio of a pair', () => {
    expect(compared(time, [10, 30, 20], [10, 10, 40])).toMatchObject({
      value: 20,
      baseline: 10,
      ratio: 2,
      rounds: 3,
      low: 0.5,
      high: 3,
    });
  });

  test('without a baseline has no ratio', () => {
    const row = measured(time, [4, 2]);
    expect(row).toMatchObject({ value: 3, baseline: null, ratio: null, rounds: 2, low: 2, high: 4 });
  });

  test('has no ratio to a baseline of zero, and then the lowest and highest value', () => {
    const row = compared({ name: 'calls', unit: 'calls', wants: 'less' }, [1, 3], [0, 2]);
    expect(row).toMatchObject({ value: 2, baseline: 1, ratio: null, rounds: 2, low: 1, high: 3 });
  });

  test('is judged by its bound, in the direction that is better', () => {
    const atMost = { of: 'ratio', is: 1.5 } as const;
    expect(isWithinBound(compared({ ...time, bound: atMost }, [15], [10]))).toBe(true);
    expect(isWithinBound(compared({ ...time, bound: atMost }, [16], [10]))).toBe(false);
    expect(isWithinBound(compared({ ...throughput, bound: atMost }, [14], [10]))).toBe(false);
    expect(isWithinBound(compared({ ...throughput, bound: { of: 'value', is: 14 } }, [14], [10]))).toBe(true);
    expect(isWithinBound(measured(time, [1e9]))).toBe(true);
  });
});

describe('rounds', () => {
  test('alternate in their order, and the first one is not counted', async () => {
    const played: string[] = [];
    const contender = (name: string) => (): Promise<number> => Promise.resolve(played.push(name));
    const context = { quick: false, log: () => undefined };
    const { a, b } = await playRounds(context, 2, { a: contender('a'), b: contender('b') }, String);
    expect(played.join('')).toBe('abbaab');
    expect({ a, b }).toEqual({ a: [4, 5], b: [3, 6] });
  });
});

describe('the output', () => {
  const rows = [compared({ ...time, bound: { of: 'ratio', is: 2 } }, [3_000.004], [1_000]), measured(throughput, [7])];

  test('is a JSON array with exactly the documented fields', () => {
    expect(JSON.parse(toJson(rows))).toEqual([
      { name: 'turns', value: 3_000, unit: 'ms', baseline: 1_000, ratio: 3, rounds: 1, low: 3, high: 3 },
      { name: 'children', value: 7, unit: 'children/s', baseline: null, ratio: null, rounds: 1, low: 7, high: 7 },
    ]);
  });

  test('is a table that marks what exceeds its bound', () => {
    const [header, first, second] = toTable(rows).split('\n');
    expect(header).toMatch(/^name +value +baseline +unit +ratio/);
    expect(first).toMatch(/^turns +3,000 +1,000 +ms +3 .* EXCEEDED: ratio at most 2$/);
    expect(second).toMatch(/^children +7 +– +children\/s +–/);
  });

  test('replaces the measured rows of the page, and keeps the others', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'baton-bench-page-'));
    try {
      const page = join(folder, 'page.md');
      const [start, end] = ['<!-- figures: npm run bench -- --markdown -->', '<!-- end of figures -->'];
      await writeFile(page, `# Before\n${start}\n${end}\n# After\n`);
      await writePage(rows, page);
      await writePage([measured(throughput, [8])], page);
      const text = await readFile(page, 'utf8');
      expect(text).toMatch(/^# Before\n<!-- figures/);
      expect(text).toMatch(/<!-- end of figures -->\n# After\n$/);
      expect(text.match(/^\| `.*/gm)).toEqual([
        '| `turns`    | 3,000 | 1,000    | ms         | 3     | 3 to 3      | 1      | less   |',
        '| `children` | 8     | –        | children/s | –     | 8 to 8      | 1      | more   |',
      ]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

test('noise has the wanted size and differs for every seed', () => {
  for (const bytes of [1, 100, 5_000, 20_000]) expect(noise(1, bytes)).toHaveLength(bytes);
  expect(noise(1, 100)).not.toBe(noise(2, 100));
});
