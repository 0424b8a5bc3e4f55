import { z } from 'zod';
import type { Json } from '../kernel/json-value';
import { parseReference } from './references';

/** A reference in a relay file. */
export const referenceText = z
  .string()
  .refine(
    (text) => parseReference(text) !== undefined,
    'must be goal, each, each.<path> or steps.<name>.output<path>, with a path such as .step[*].id',
  );

/** A value that is resolved from a reference. */
export const valueReferenceSchema = z.strictObject({
  from: referenceText,
  /** Converts the value to text: one line per entry of a list, JSON for other values that are not strings. */
  as: z.literal('text').optional(),
  /** If true, the field is omitted when the reference has no value. Otherwise a missing value is a failure. */
  optional: z.boolean().optional(),
});
export type ValueReference = Readonly<z.infer<typeof valueReferenceSchema>>;

const literalSchema = z.strictObject({ value: z.json() });

/** The source of one input field: a reference or a literal. */
export type InputValue = ValueReference | { readonly value: Json };

/** Parses an input value of a relay file. A literal is written directly, but an object literal as `{value: …}`. */
export const inputValueSchema = z.unknown().transform((value, check): InputValue => {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  const parsed = !isObject
    ? literalSchema.safeParse({ value })
    : (Object.hasOwn(value, 'value') ? literalSchema : valueReferenceSchema).safeParse(value);
  if (parsed.success) return parsed.data;
  for (const issue of parsed.error.issues) {
    check.addIssue({ ...issue, path: isObject ? issue.path : [] });
  }
  return z.NEVER;
});

/** Maps the input fields of a step to their sources. */
export const inputMappingSchema = z.record(z.string().min(1).max(64), inputValueSchema);
export type InputMapping = Readonly<Record<string, InputValue>>;
