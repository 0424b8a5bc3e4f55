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
