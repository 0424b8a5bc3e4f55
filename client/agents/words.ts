import { failureTypes, isFailureType } from '../../domain/failure-types';
import { headline } from '../format';

/** Models write what they like: nothing of it may move the cursor, or span lines. */
export function oneLine(text: string, width = 160): string {
  return headline(text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').replace(/ {2,}/g, ' '), width);
}

/** The same for a text that keeps its lines. */
export function plainLines(text: string): string {
  return text.replace(/[^\P{Cc}\n]+|[\p{Cf}\u2028\u2029]+/gu, ' ');
}

/** Enough digits that a cheap call isn't free. */
export function usd(microUsd: number): string {
  const digits = microUsd >= 10_000_000 ? 2 : microUsd >= 10_000 ? 3 : 4;
  return `$${(microUsd / 1_000_000).toFixed(digits)}`;
}

export function compact(tokens: number): string {
  if (tokens < 1_000) return `${tokens}`;
  if (tokens < 1_000_000) return `${(tokens / 1_000).toFixed(tokens < 10_000 ? 1 : 0)}k`;
  return `${(tokens / 1_000_000).toFixed(1)}M`;
}

export function remedyFor(type: string): string | undefined {
  if (!isFailureType(type)) return undefined;
  const { remedy } = failureTypes[type];
  return remedy === 'None.' ? undefined : remedy;
}
