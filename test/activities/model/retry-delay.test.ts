import { retryDelay } from '../../../activities/model/retry-delay';

const now = Date.parse('2026-01-01T00:00:00Z');
const hour = 3_600_000;
const delayFor = (headers: Record<string, string>): ReturnType<typeof retryDelay> =>
  retryDelay(new Headers(headers), now);

describe('the delay that a provider requests', () => {
  test.each<[string, Record<string, string>, number]>([
    ['seconds', { 'retry-after': '3' }, 3_000],
    ['a fraction', { 'retry-after': '2.5' }, 2_500],
    ['milliseconds, which take precedence', { 'retry-after': '60', 'retry-after-ms': '1500' }, 1_500],
    ['a date', { 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT' }, 30_000],
    ['next to nothing', { 'retry-after-ms': '0.001' }, 1_000],
  ])('is used: %s', (_, headers, ms) => {
    expect(delayFor(headers)).toEqual({ ms, notice: '' });
  });

  test.each<[string, Record<string, string>]>([
    ['zero', { 'retry-after': '0' }],
    ['zero milliseconds', { 'retry-after-ms': '0' }],
    ['nothing', { 'retry-after': '' }],
    ['blank', { 'retry-after': '  ' }],
    ['negative', { 'retry-after': '-5' }],
    ['minus infinity', { 'retry-after': '-Infinity' }],
    ['a date in the past', { 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' }],
    ['not a number', { 'retry-after': 'NaN' }],
    ['not a time', { 'retry-after': 'soon' }],
    ['no header', {}],
  ])('is left to the retry policy: %s', (_, headers) => {
    expect(delayFor(headers)).toEqual({ ms: undefined, notice: '' });
  });

  test.each<[string, Record<string, string>]>([
    ['a day', { 'retry-after': '86400' }],
    ['a thousand years', { 'retry-after': '31536000000' }],
    ['beyond all numbers', { 'retry-after': '1e400' }],
    ['infinity', { 'retry-after': 'Infinity' }],
    ['infinite milliseconds', { 'retry-after-ms': 'Infinity' }],
    ['the year 9999', { 'retry-after': 'Fri, 31 Dec 9999 23:59:59 GMT' }],
  ])('is an hour at most, and the failure says so: %s', (_, headers) => {
    expect(delayFor(headers)).toEqual({ ms: hour, notice: expect.stringContaining('after 60 minutes') as string });
  });
});
