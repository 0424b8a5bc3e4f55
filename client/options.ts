import { InvalidArgumentError } from 'commander';

/** Parsers of option values: what they refuse, commander reports with the option's name. */
export function positiveInteger(value: string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number) || number < 1) throw new InvalidArgumentError('It must be a whole number above 0.');
  return number;
}

export function wholeNumber(value: string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number) || number < 0)
    throw new InvalidArgumentError('It must be a whole number, 0 or more.');
  return number;
}

export function zeroToOne(value: string): number {
  const number = value.trim() === '' ? Number.NaN : Number(value);
  if (!(number >= 0 && number <= 1)) throw new InvalidArgumentError('It must be a number from 0 to 1.');
  return number;
}

export function dollars(value: string): number {
  const number = value.trim() === '' ? Number.NaN : Number(value);
  if (!(number > 0 && number <= 1_000_000)) throw new InvalidArgumentError('It must be an amount above 0.');
  return number;
}

const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A point in time, in ISO 8601; given as such, or as a time from now. */
export function fromNow(value: string): string {
  const [, amount, unit] = /^(\d{1,6})([smhd])$/.exec(value) ?? [];
  const time =
    unit === undefined ? Date.parse(value) : Date.now() + Number(amount) * unitMs[unit as keyof typeof unitMs];
  if (!(time > Date.now())) throw new InvalidArgumentError('It must be in the future: 90s, 30m, 2h, or ISO 8601.');
  return new Date(time).toISOString();
}
