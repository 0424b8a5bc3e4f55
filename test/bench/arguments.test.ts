import { help, parseArguments, UsageError } from '../../bench/runner/arguments';
import type { Benchmark } from '../../bench/runner/benchmark';

function benchmark(names: readonly string[], more: Partial<Benchmark> = {}): Benchmark {
  return { names, about: `About ${names.join(' and ')}.`, run: () => Promise.resolve([]), ...more };
}

const pair = benchmark(['fanout.isolated.100', 'fanout.isolated.500']);
const single = benchmark(['turns.single']);
const long = benchmark(['large-run'], { onlyByName: true });
const all = [pair, single, long];

const chosen = (...args: readonly string[]): readonly Benchmark[] | undefined => parseArguments(args, all)?.benchmarks;

describe('the command line of the benchmarks', () => {
  test('without names, chooses all but those that take very long', () => {
    expect(chosen()).toEqual([pair, single]);
    expect(chosen('--quick')).toEqual(all);
  });

  test('takes names, and the beginnings of names up to a dot', () => {
    expect(chosen('turns.single')).toEqual([single]);
    expect(chosen('fanout')).toEqual([pair]);
    expect(chosen('large-run', 'turns')).toEqual([single, long]);
    const args = parseArguments(['fanout.isolated.500'], all);
    expect(args?.wants('fanout.isolated.500')).toBe(true);
    expect(args?.wants('fanout.isolated.100')).toBe(false);
  });

  test('refuses an unknown name, and lists those that it knows', () => {
    for (const name of ['turn', 'fanout.isolated.5', 'fan-out'])
      expect(() => chosen(name)).toThrow(new RegExp(`"${name}"[^]*fanout.isolated.500[^]*turns.single[^]*large-run`));
  });

  test('reads options in any order', () => {
    const args = parseArguments(['--rounds', '3', 'turns.single', '--json', '--quick', '--counters'], all);
    expect(args).toMatchObject({ rounds: 3, format: 'json', quick: true, counters: true });
    expect(parseArguments([], all)).toMatchObject({ rounds: undefined, format: 'table', quick: false });
    expect(parseArguments(['--markdown'], all)).toMatchObject({ format: 'markdown' });
  });

  test.each([['--rounds', '0'], ['--rounds', 'many'], ['--rounds', '1.5'], ['--fast'], ['--json', '--markdown']])(
    'refuses %s %s',
    (...args) => {
      expect(() => chosen(...args)).toThrow(UsageError);
    },
  );

  test('explains itself', () => {
    expect(parseArguments(['--help'], all)).toBeUndefined();
    for (const text of ['--json', '--rounds', '--quick', 'turns.single', 'About turns.single.', 'large-run *'])
      expect(help(all)).toContain(text);
  });
});
