import * as fc from 'fast-check';
import { remainingTime } from '../../../domain/budget/deadline';

describe('the time until a deadline', () => {
  const noon = '2026-02-28T12:00:00Z';

  test('is in milliseconds, over leap days and ends of years', () => {
    expect(remainingTime('2026-02-28T12:00:01.250Z', noon)).toBe(1_250);
    expect(remainingTime('2028-03-01T00:00:00Z', '2028-02-28T00:00:00Z')).toBe(2 * 86_400_000);
    expect(remainingTime('2027-01-01T00:00Z', '2026-12-31T23:59:59.9999Z')).toBe(1);
  });

  test('is 0 at the deadline and after it', () => {
    expect(remainingTime(noon, noon)).toBe(0);
    expect(remainingTime(noon, '2026-02-28T12:00:00.001Z')).toBe(0);
  });

  test('agrees with the clock of the machine', () => {
    const time = fc.date({
      min: new Date('1970-01-01T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59Z'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(time, time, (deadline, now) => {
        const expected = Math.max(0, deadline.getTime() - now.getTime());
        expect(remainingTime(deadline.toISOString(), now.toISOString())).toBe(expected);
      }),
      { numRuns: 1_000 },
    );
  });

  test('requires times in UTC', () => {
    expect(() => remainingTime('tomorrow', noon)).toThrow(
      'deadline: "tomorrow" is not a time in UTC. Write it as 2030-01-31T12:00:00Z.',
    );
  });
});
