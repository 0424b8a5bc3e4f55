import { InvalidInputError } from '../errors';

const secondMs = 1_000;
const dayMs = 24 * 60 * 60 * secondMs;

/** Returns the milliseconds until the deadline, 0 once it has passed. Both times are ISO 8601 in UTC. */
export function remainingTime(deadline: string, now: string): number {
  return Math.max(0, epochMs('deadline', deadline) - epochMs('now', now));
}

const isoUtc = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?Z$/;

/** Parses a time without `Date`, which domain code must not use. */
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

/** Uses the Gregorian calendar for all years. The year is counted from March, so that a leap day is its last day. */
function daysSinceEpoch(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year;
  const leapDays = Math.floor(shifted / 4) - Math.floor(shifted / 100) + Math.floor(shifted / 400);
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  return shifted * 365 + leapDays + dayOfYear - daysFromYearZeroToEpoch;
}

const daysFromYearZeroToEpoch = 719_468;
