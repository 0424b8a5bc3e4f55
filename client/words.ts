import { failureTypes, isFailureType } from '../domain/kernel/failure-types';
import { headline } from './format';

/** Formats untrusted text as one line. Removes control characters, so that model output can't move the cursor. */
export function oneLine(text: string, width = 160): string {
  return headline(text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').replace(/ {2,}/g, ' '), width);
}

/** Formats an amount with enough decimals that a cheap call does not show as $0.00. */
export function formatUsd(microUsd: number): string {
  const digits = microUsd >= 10_000_000 ? 2 : microUsd >= 10_000 ? 3 : 4;
  return `$${(microUsd / 1_000_000).toFixed(digits)}`;
}

/** Formats a number of tokens in at most four characters and a unit: 950, 1.2k, 34k, 5.6M. */
export function formatCompact(tokens: number): string {
  if (tokens < 1_000) return `${tokens}`;
  if (tokens < 1_000_000) return `${(tokens / 1_000).toFixed(tokens < 10_000 ? 1 : 0)}k`;
  return `${(tokens / 1_000_000).toFixed(1)}M`;
}

/** Returns the remedy of a failure type; undefined for types that are not Baton's and for those without a remedy. */
export function remedyFor(type: string): string | undefined {
  if (!isFailureType(type)) return undefined;
  const { remedy } = failureTypes[type];
  return remedy === 'None.' ? undefined : remedy;
}
