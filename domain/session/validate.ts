import type { z } from 'zod';
import { canonicalJson } from '../json';
import type { Json } from '../json-value';

export interface Violation {
  readonly field: string;
  readonly reason: string;
}

const changesValue = 'the schema would store something else than was sent (a default, a conversion, or a dropped key)';

/** Most values come with their keys in the schema's order; only others have to be put into one order first. */
function isSame(parsed: unknown, value: Json): boolean {
  return JSON.stringify(parsed) === JSON.stringify(value) || canonicalJson(parsed) === canonicalJson(value);
}

/**
 * What is wrong with a value, or undefined. A schema that changes what it checks is a violation too: otherwise a record
 * would depend on how often it has been checked.
 */
export function violationOf(schema: z.ZodType, value: Json): Violation | undefined {
  try {
    const parsed = schema.safeParse(value);
    if (parsed.success) {
      return isSame(parsed.data, value) ? undefined : { field: 'value', reason: changesValue };
    }
    const issue = parsed.error.issues[0];
    const field = issue === undefined || issue.path.length === 0 ? 'value' : issue.path.map(String).join('.');
    return { field, reason: issue?.message ?? 'invalid' };
  } catch (error) {
    // A refinement of the user's that throws, or that is asynchronous.
    return { field: 'value', reason: error instanceof Error ? error.message : String(error) };
  }
}
