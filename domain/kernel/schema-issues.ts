import { z } from 'zod';
import { truncateText } from './text';

/** Maximum characters of a field's path or a reason in a message. zod lists every unknown key, however many. */
const maxShown = 500;

/**
 * Checks a value that somebody else has sent. Unlike `safeParse`, it never throws: zod compares the `length` of every
 * object that has one, which fails for `{ "length": { "toString": null } }`, and its recursion ends at some depth.
 */
export function checkValue<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.ZodSafeParseResult<z.output<Schema>> {
  try {
    return schema.safeParse(value);
  } catch (error) {
    if (!(error instanceof TypeError) && !(error instanceof RangeError)) throw error;
    const message = error instanceof RangeError ? 'is nested too deeply' : 'cannot be read';
    const issue = { code: 'custom' as const, path: [], message, input: undefined };
    return { success: false, error: new z.ZodError([issue]) as z.ZodError<z.output<Schema>> };
  }
}

/** The first problem of a value that a schema rejects. */
export interface SchemaIssue {
  readonly path: readonly PropertyKey[];
  /** The path as text. */
  readonly field: string;
  readonly reason: string;
}

/** Returns the first problem of a value. `whole` names the value itself, for problems that concern all of it. */
export function firstIssue({ issues }: z.ZodError, whole = 'input'): SchemaIssue {
  const { path = [], message = 'is invalid' } = issues[0] ?? {};
  return { path, field: fieldText(path, whole), reason: truncateText(message, maxShown) };
}

/** Formats a problem as `field: reason`. */
export function formatIssue({ path, message }: z.core.$ZodIssue, whole: string): string {
  return `${fieldText(path, whole)}: ${truncateText(message, maxShown)}`;
}

function fieldText(path: readonly PropertyKey[], whole: string): string {
  return path.length === 0 ? whole : truncateText(path.map(String).join('.'), maxShown);
}

/** Formats the path of a field, such as `slice[0].tag`. */
export function formatFieldPath(path: readonly PropertyKey[]): string {
  return path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
    .replace(/^\./, '');
}

/** A problem in a definition, and the path of its field. */
export interface FieldProblem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** Converts a zod issue. Reports an unknown field at the field itself, not at the object around it. */
export function fieldProblems(issue: z.core.$ZodIssue): FieldProblem[] {
  if (issue.code !== 'unrecognized_keys') return [{ path: issue.path, message: issue.message }];
  return issue.keys.map((key) => ({ path: [...issue.path, key], message: 'unknown field' }));
}

/** A text in a definition. */
export const filledTextSchema = z.string().refine((value) => value.trim() !== '', 'must not be empty');

/** The fields that skill and relay definitions have in common. */
export const definitionFields = {
  name: z
    .string()
    .regex(
      /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/,
      'must start with a letter, followed by letters, digits, `_`, `.` and `-`; at most 64 characters',
    ),
  description: filledTextSchema.refine((value) => value.length <= 1024, 'must be at most 1,024 characters'),
};
