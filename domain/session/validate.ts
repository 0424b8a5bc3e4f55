import type { z } from 'zod';
import { canonicalJson } from '../kernel/canonical-json';
import type { Json } from '../kernel/json-value';
import { firstIssue } from '../kernel/schema-issues';

/** The first problem of a value: the path of a field and the reason. */
export interface Violation {
  readonly field: string;
  readonly reason: string;
}

const changesValue = 'the schema changes the value (a default, a conversion, or a dropped key)';

/** Compares two JSON values. Most have their keys in the same order; only others need the slower canonical form. */
function isSame(parsed: unknown, value: Json): boolean {
  return JSON.stringify(parsed) === JSON.stringify(value) || canonicalJson(parsed) === canonicalJson(value);
}

/**
 * Checks a value against a schema; undefined when it is valid. A schema that changes the value is a violation too,
 * because a record would otherwise depend on how often it has been checked.
 */
export function schemaViolation(schema: z.ZodType, value: Json): Violation | undefined {
  try {
    const parsed = schema.safeParse(value);
    if (parsed.success) {
      return isSame(parsed.data, value) ? undefined : { field: 'value', reason: changesValue };
    }
    const { field, reason } = firstIssue(parsed.error, 'value');
    return { field, reason };
  } catch (error) {
    // A refinement by the slice's author threw, or is asynchronous.
    return { field: 'value', reason: error instanceof Error ? error.message : String(error) };
  }
}
