import { InvalidInputError } from '../errors';

const secondMs = 1_000;
const dayMs = 24 * 60 * 60 * secondMs;

/** Milliseconds until the deadline, 0 once it has passed. Both are ISO 8601 in UTC; the clock is the caller's. */
export function remainingTime(deadline: string, now: string): number {
  return Math.max(0, epochMs('deadline', deadline) - epochMs('now', now));
}

const isoUtc = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?Z$/;

/** Without `Date`, which the domain does not have. */
function epochMs(field: string, text: string): number {
  const match = isoUtc.exec(text);
  if (match === null) {
    throw new InvalidInputError(field, `"${text}" is not a time in UTC`, 'Write it as 2030-01-31T12:00:00Z.');
  }
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = match.slice(1, 6).map(Number);
  const second = Number(match[6] ?? 0);
  const fraction = Number(`${match[7] ?? ''}000`.slice(0, 3));
  return daysSinceEpoch(year, month, day) * dayMs + ((hour * 60 + minute) * 60 + second) * secondMs + fraction;
}

/** In the calendar of today, also for years before it. The year is taken to begin in March, so that leap days come last. */
function daysSinceEpoch(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year;
  const leapDays = Math.floor(shifted / 4) - Math.floor(shifted / 100) + Math.floor(shifted / 400);
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  return shifted * 365 + leapDays + dayOfYear - daysFromYearZeroToEpoch;
}

const daysFromYearZeroToEpoch = 719_468;
