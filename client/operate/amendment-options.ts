import { InvalidArgumentError } from 'commander';

/** Parses an amount in US dollars into millionths of a dollar. */
export function microUsd(value: string): number {
  if (!/^\d{1,9}(\.\d{1,6})?$/.test(value))
    throw new InvalidArgumentError('Must be an amount such as 2.50, with at most six decimals.');
  return Math.round(Number(value) * 1_000_000);
}

/** Collects the values of a repeatable option. */
export function severalNames(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
