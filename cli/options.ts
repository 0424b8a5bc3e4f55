import { type Argument, InvalidArgumentError } from 'commander';
import { InvalidInputError } from '../domain/kernel';
import { type McpGrants, mergeGrants, parseGrant } from '../domain/mcp';

/** Parses a number. An empty value is not 0: it is what a script passes when a variable is unset. */
function numberFrom(value: string): number {
  return value.trim() === '' ? Number.NaN : Number(value);
}

/**
 * Parses an option value. These parsers throw `InvalidArgumentError`, which commander reports with the option's name.
 */
export function positiveInteger(value: string): number {
  const number = numberFrom(value);
  if (!Number.isSafeInteger(number) || number < 1) throw new InvalidArgumentError('Must be a positive integer.');
  return number;
}

/** Parses an integer of 0 or more. */
export function wholeNumber(value: string): number {
  const number = numberFrom(value);
  if (!Number.isSafeInteger(number) || number < 0) throw new InvalidArgumentError('Must be a non-negative integer.');
  return number;
}

/** Parses a number from 0 to 1, both included. */
export function fraction(value: string): number {
  const number = numberFrom(value);
  if (!(number >= 0 && number <= 1)) throw new InvalidArgumentError('Must be a number from 0 to 1.');
  return number;
}

/** Parses a number greater than 0. */
function positiveNumber(value: string): number {
  const number = numberFrom(value);
  if (!(number > 0 && number < 1e9)) throw new InvalidArgumentError('Must be a number greater than 0.');
  return number;
}

/** Parses an amount in US dollars, greater than 0, into millionths of a dollar. */
export function positiveMicroUsd(value: string): number {
  return inMicroUsd(positiveNumber(value));
}

/** Parses an amount in US dollars, such as 2.50, into millionths of a dollar. */
export function microUsd(value: string): number {
  if (!/^\d{1,9}(\.\d{1,6})?$/.test(value))
    throw new InvalidArgumentError('Must be an amount such as 2.50, with at most six decimals.');
  return inMicroUsd(Number(value));
}

function inMicroUsd(dollars: number): number {
  return Math.round(dollars * 1_000_000);
}

/** Parses a fraction of the context window. */
export function windowFraction(value: string): number {
  const number = fraction(value);
  if (number === 0) throw new InvalidArgumentError('Must be greater than 0 and at most 1.');
  return number;
}

const units: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Parses a number with a unit, such as `90s` or `30d`, into milliseconds; 0 for any other text. */
function milliseconds(text: string): number {
  const [, number = '', unit = ''] = /^(\d+)([smhd])$/.exec(text) ?? [];
  return Number(number) * (units[unit] ?? 0);
}

/** Parses a duration such as `90s`, `30m`, `2h` or `1d` into milliseconds. */
export function durationMs(value: string): number {
  const length = milliseconds(value.trim());
  if (!(length >= 1_000 && length <= 30 * 86_400_000))
    throw new InvalidArgumentError('Must be a duration such as 90s, 30m, 2h or 1d, at most 30d.');
  return length;
}

/** Parses an age such as `90m`, `12h` or `30d` into milliseconds. */
export function ageMs(value: string): number {
  if (!/^\d{1,9}[mhd]$/.test(value))
    throw new InvalidArgumentError('Must be a number followed by m, h or d, such as 90m, 12h or 30d.');
  return milliseconds(value);
}

/** Parses a time such as `2026-11-17T18:00Z` into milliseconds; NaN for any other text. */
function isoTime(text: string): number {
  return /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN;
}

/** Parses a duration of any length, such as `30s`, `10m`, `2h` or `1d`, into milliseconds. */
export function anyDurationMs(value: string): number {
  if (!/^\d{1,9}[smhd]$/.test(value))
    throw new InvalidArgumentError('Must be a number followed by s, m, h or d, such as 30s, 10m, 2h or 1d.');
  return milliseconds(value);
}

/** Parses a duration from now or an ISO 8601 time into an ISO 8601 time in the future. */
export function deadlineFrom(value: string): string {
  const isDuration = /^\d+[smhd]$/.test(value.trim());
  const time = isDuration ? Date.now() + durationMs(value) : isoTime(value);
  if (Number.isNaN(time)) throw new InvalidArgumentError('Must be a duration such as 30m, or a time in ISO 8601.');
  if (time <= Date.now()) throw new InvalidArgumentError('The deadline is in the past.');
  return new Date(time).toISOString();
}

/** Accepts any text except an empty one. Every option with a text uses this parser unless it has another one. */
export function filledText(value: string): string {
  if (value.trim() === '') throw new InvalidArgumentError('Must not be empty; omit the option instead.');
  return value;
}

/**
 * Creates the parser of an argument, which accepts any text except an empty one, and collects the values of a repeatable
 * argument. A script that passes an unset variable as the folder of a project must not write into the current one.
 */
export function filledArgument(argument: Argument): (value: string, collected: unknown) => unknown {
  const remedy = argument.required ? 'Pass a value.' : 'Pass a value, or omit it.';
  return (value, collected) => {
    if (value.trim() === '') throw new InvalidInputError(argument.name(), 'must not be empty', remedy);
    if (!argument.variadic) return value;
    return Array.isArray(collected) ? [...(collected as unknown[]), value] : [value];
  };
}

/** Collects the values of a repeatable option. */
export function collectNames(name: string, names: readonly string[] = []): readonly string[] {
  return [...names, filledText(name)];
}

/** Collects grants such as `github` or `github:search_code,get_issue`. */
export function collectGrants(value: string, grants: McpGrants = {}): McpGrants {
  try {
    return mergeGrants(grants, parseGrant(value));
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error;
    throw new InvalidArgumentError(error.remedy);
  }
}

/** Collects defaults such as `acme/reviewer:repo_root=src`, by prompt and parameter. */
export function collectPromptDefaults(
  value: string,
  collected: Readonly<Record<string, Readonly<Record<string, string>>>> = {},
): Readonly<Record<string, Readonly<Record<string, string>>>> {
  const [, prompt = '', name = '', text = ''] = /^([^/:=]+\/[^/:=]+):([^=]+)=(.*)$/s.exec(value) ?? [];
  if (prompt === '') throw new InvalidArgumentError('Must be ns/key:name=value, such as acme/reviewer:repo_root=src.');
  return { ...collected, [prompt]: { ...collected[prompt], [name]: text } };
}
