import { InvalidArgumentError } from 'commander';

/**
 * Parses an option value. These parsers throw `InvalidArgumentError`, which commander reports with the option's name.
 */
export function positiveInteger(value: string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number) || number < 1) throw new InvalidArgumentError('Must be a positive integer.');
  return number;
}

/** Parses an integer of 0 or more. */
export function wholeNumber(value: string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number) || number < 0) throw new InvalidArgumentError('Must be a non-negative integer.');
  return number;
}

/** Parses a number from 0 to 1, both included. */
export function zeroToOne(value: string): number {
  const number = value.trim() === '' ? Number.NaN : Number(value);
  if (!(number >= 0 && number <= 1)) throw new InvalidArgumentError('Must be a number from 0 to 1.');
  return number;
}

/** Parses a number greater than 0. */
export function positiveNumber(value: string): number {
  const number = value.trim() === '' ? Number.NaN : Number(value);
  if (!(number > 0 && number < 1e9)) throw new InvalidArgumentError('Must be a number greater than 0.');
  return number;
}

/** Parses a fraction of the context window. */
export function shareOfWindow(value: string): number {
  const number = zeroToOne(value);
  if (number === 0) throw new InvalidArgumentError('Must be greater than 0 and at most 1.');
  return number;
}

const units: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Parses a duration such as `90s`, `30m`, `2h` or `1d` into milliseconds. */
export function durationMs(value: string): number {
  const [, number = '', unit = ''] = /^(\d{1,6})([smhd])$/.exec(value.trim()) ?? [];
  const length = Number(number) * (units[unit] ?? 0);
  if (!(length >= 1_000 && length <= 30 * 86_400_000))
    throw new InvalidArgumentError('Must be a duration such as 90s, 30m, 2h or 1d, at most 30d.');
  return length;
}

/** Parses a duration from now or an ISO 8601 time into an ISO 8601 time in the future. */
export function deadlineFrom(value: string): string {
  const isTime = /^\d{4}-\d\d-\d\dT/.test(value);
  const time = isTime ? Date.parse(value) : Date.now() + durationMs(value);
  if (Number.isNaN(time)) throw new InvalidArgumentError('Must be a duration such as 30m, or a time in ISO 8601.');
  if (time <= Date.now()) throw new InvalidArgumentError('The deadline is in the past.');
  return new Date(time).toISOString();
}
