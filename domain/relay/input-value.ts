import { z } from 'zod';
import type { Json } from '../json-value';
import { parseReference } from './reference';

export const referenceText = z
  .string()
  .refine(
    (text) => parseReference(text) !== undefined,
    'must be goal, each, each.<path> or steps.<name>.output<path>, with a path such as .step[*].id',
  );

/** A value taken from elsewhere. */
export const fromSchema = z.strictObject({
  from: referenceText,
  /** Makes a text of it: one line for each entry of a list, JSON for what is no text. */
  as: z.literal('text').optional(),
  /** The field is left out when the value is not there; otherwise that is a failure. */
  optional: z.boolean().optional(),
});
export type From = Readonly<z.infer<typeof fromSchema>>;

const literalSchema = z.strictObject({ value: z.json() });

/** What a field of a skill's input gets. */
export type InputValue = From | { readonly value: Json };

/** In a file a literal may stand for itself, unless it is an object: then it is written `{value: …}`. */
export const inputValueSchema = z.unknown().transform((value, check): InputValue => {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  const parsed = !isObject
    ? literalSchema.safeParse({ value })
    : (Object.hasOwn(value, 'value') ? literalSchema : fromSchema).safeParse(value);
  if (parsed.success) return parsed.data;
  for (const issue of parsed.error.issues) {
    check.addIssue({ ...issue, path: isObject ? issue.path : [] });
  }
  return z.NEVER;
});

export const inputMappingSchema = z.record(z.string().min(1).max(64), inputValueSchema);
export type InputMapping = Readonly<Record<string, InputValue>>;
