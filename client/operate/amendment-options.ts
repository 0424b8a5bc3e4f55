import { InvalidArgumentError } from 'commander';

/** Dollars as a person writes them, in millionths. */
export function microUsd(value: string): number {
  if (!/^\d{1,9}(\.\d{1,6})?$/.test(value))
    throw new InvalidArgumentError('It must be an amount like 2.50, with at most six decimals.');
  return Math.round(Number(value) * 1_000_000);
}

export function severalNames(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
