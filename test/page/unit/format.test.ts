import {
  cutText,
  formatAge,
  formatBytes,
  formatDay,
  formatDuration,
  formatFullTime,
  formatTokens,
  formatUsd,
  spokenTokens,
} from '../../../page/format';
import { formatUsd as formatUsdOnCommandLine } from '../../../domain/model';
import { spokenName } from '../../../page/tree/agent-name';
import { sortRows } from '../../../page/run/table-columns';
import { agentRow } from './rows';

const second = 1_000;
const minute = 60 * second;

test.each([
  [420, '420 ms'],
  [8.4 * second, '8.4 s'],
  [59.96 * second, '1 min'],
  [3 * minute + 12 * second, '3 min 12 s'],
  [125 * minute, '2 h 5 min'],
  [76 * 60 * minute, '3 d 4 h'],
])('a duration of %d ms is %s', (milliseconds, text) => {
  expect(formatDuration(milliseconds)).toBe(text);
});

test('an age has whole seconds, then whole minutes', () => {
  expect([900, 12_900, 14 * minute + 59 * second, 125.5 * minute].map(formatAge)).toEqual([
    '0 s',
    '12 s',
    '14 min',
    '2 h 5 min',
  ]);
});

test('numbers are short, and unknown ones are not zero', () => {
  expect([950, 1_900, 240_000, 999_600, 2_100_000, null].map(formatTokens)).toEqual([
    '950',
    '1.9k',
    '240k',
    '1.0M',
    '2.1M',
    '–',
  ]);
  expect(spokenTokens(24_300)).toBe('24 thousand tokens');
  expect(formatUsd(null)).toBe('no price');
  expect(formatBytes(42_189)).toBe('41.2 KiB');
});

test('amounts are those of the command line', () => {
  for (const microUsd of [0, 20, 999, 41_000, 1_930_000, 18_200_000])
    expect(formatUsd(microUsd)).toBe(formatUsdOnCommandLine(microUsd));
});

test('times in lists say the day, and the tooltip everything', () => {
  const now = new Date(2026, 10, 16, 15, 0).getTime();
  const at = (...parts: [number, number, number, number?, number?]): string =>
    formatDay(new Date(...(parts as [number, number, number])).getTime(), now);
  expect(formatDay(new Date(2026, 10, 16, 14, 3).getTime(), now)).toBe('14:03');
  expect([at(2026, 10, 15), at(2026, 10, 12), at(2025, 10, 12)]).toEqual(['yesterday', '12 Nov', '12 Nov 2025']);
  expect(formatFullTime(now + 412)).toMatch(/^2026-11-16 15:00:00\.412 \(\d\d:00:00Z\)$/);
});

test('texts are cut at their end', () => {
  expect(cutText('abcdef', 4)).toBe('abc…');
  expect(cutText('abcd', 4)).toBe('abcd');
});

test('a row is named for screen readers with state, turn, tokens and place', () => {
  const usage = { input: 24_000, cacheRead: 0, cacheWrite: 0, output: 0 };
  const row = agentRow('a', {
    headline: 'Read package 17',
    state: 'needs you',
    detail: 'Model.RateLimited',
    turn: 7,
    withDelegations: { turns: 7, usage, microUsd: 1 },
    batch: { callId: 'c', turn: 4, index: 16, size: 1_000 },
  });
  expect(spokenName(row)).toBe(
    'Read package 17, needs you, Model.RateLimited, turn 7, 24 thousand tokens, 17 of 1,000',
  );
});

test('a table sorts by cost and time, the unknown last', () => {
  const cost = (path: string, microUsd: number | null, endedAt: number | null): ReturnType<typeof agentRow> =>
    agentRow(path, {
      endedAt,
      withDelegations: { turns: 1, usage: { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 }, microUsd },
    });
  const rows = [cost('a', 5, 10), cost('b', null, 30), cost('c', 9, null)];
  expect(sortRows(rows, 'cost', true).map(({ path }) => path)).toEqual(['c', 'a', 'b']);
  expect(sortRows(rows, 'took', true).map(({ path }) => path)).toEqual(['b', 'a', 'c']);
});
