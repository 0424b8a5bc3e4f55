import { z } from 'zod';
import type { Usage } from '../../domain/model';

/** Token counts as they arrive. Anything may be in them, so nothing is checked here. */
export const usageFields = z.record(z.string(), z.unknown()).nullish().catch(undefined);

const inputFields = ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'];

/**
 * Reads token counts. Missing ones are zero, and if one of the counts of the prompt is not a count, so are the others:
 * zero tells the engine to estimate them.
 */
export function toUsage(reported: Readonly<Record<string, unknown>>): Usage {
  const counts = inputFields.map((name) => countIn(reported[name]));
  const [input = 0, cacheRead = 0, cacheWrite = 0] = counts.includes(undefined) ? [] : counts;
  return { input, cacheRead, cacheWrite, output: countIn(reported['output_tokens']) ?? 0 };
}

/** Undefined for what is not a count; zero for what is missing. */
export function countIn(value: unknown): number | undefined {
  if (value === undefined || value === null) return 0;
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
