import { z } from 'zod';
import { checkValue, type Json } from '../kernel';

/** The source of a value: the goal, the item of a fan-out, or the final message of an earlier step. */
export type Reference =
  | { readonly to: 'goal' }
  | { readonly to: 'each'; readonly path: readonly Segment[] }
  | { readonly to: 'step'; readonly step: string; readonly path: readonly Segment[] };

/** Matches a valid step name. */
export const stepName = /^[A-Za-z][A-Za-z0-9_-]{0,39}$/;

const ofStep = /^steps\.([A-Za-z][A-Za-z0-9_-]{0,39})\.output(.*)$/s;
const ofItem = /^each(.*)$/s;

/** Parses a reference such as `steps.plan.output.step[*].id`. Returns undefined if the text is not a reference. */
export function parseReference(text: string): Reference | undefined {
  if (text === 'goal') return { to: 'goal' };
  const [, step, below] = ofStep.exec(text) ?? [];
  const path = parseSegments(below ?? ofItem.exec(text)?.[1] ?? 'none');
  if (path === undefined) return undefined;
  return step === undefined ? { to: 'each', path } : { to: 'step', step, path };
}

/** One segment of a path into a value: a field name, a zero-based list index, or `*` for every entry of a list. */
export type Segment = string | number;

const every = '*';
const segment = /^(?:\.([A-Za-z_][A-Za-z0-9_-]{0,63})|\[(\d{1,6}|\*)\])/;

/** Parses a path such as `.step[*].id`; undefined when the text is not a path. Paths never contain code. */
export function parseSegments(text: string): readonly Segment[] | undefined {
  const segments: Segment[] = [];
  for (let rest = text; rest !== '';) {
    const [whole = '', name, place] = segment.exec(rest) ?? [];
    if (whole === '') return undefined;
    segments.push(name ?? (place === every ? every : Number(place)));
    rest = rest.slice(whole.length);
  }
  return segments;
}

/** Formats a path. The inverse of `parseSegments`. */
export function formatSegments(segments: readonly Segment[]): string {
  return segments.map((key) => (typeof key === 'number' || key === every ? `[${key}]` : `.${key}`)).join('');
}

/** Whether the path selects a list, because it contains `[*]`. */
export function selectsList(segments: readonly Segment[]): boolean {
  return segments.includes(every);
}

/** Returns all values that the path selects, in order. List entries without the rest of the path are skipped. */
export function valuesAtPath(value: Json, segments: readonly Segment[]): readonly Json[] {
  const [first, ...rest] = segments;
  if (first === undefined) return [value];
  if (Array.isArray(value)) {
    const list = value as readonly Json[];
    const selected = first === every ? list : typeof first === 'number' ? list.slice(first, first + 1) : [];
    return selected.flatMap((entry) => valuesAtPath(entry, rest));
  }
  const isObject = typeof value === 'object' && value !== null;
  if (!isObject || typeof first === 'number' || first === every || !Object.hasOwn(value, first)) return [];
  return valuesAtPath((value as Readonly<Record<string, Json>>)[first] ?? null, rest);
}

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
type ValueReference = Readonly<z.infer<typeof valueReferenceSchema>>;

const literalSchema = z.strictObject({ value: z.json() });

/** The source of one input field: a reference or a literal. */
export type InputValue = ValueReference | { readonly value: Json };

/** Parses an input value of a relay file. A literal is written directly, but an object literal as `{value: …}`. */
const inputValueSchema = z.unknown().transform((value, check): InputValue => {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  const parsed = !isObject
    ? checkValue(literalSchema, { value })
    : checkValue(Object.hasOwn(value, 'value') ? literalSchema : valueReferenceSchema, value);
  if (parsed.success) return parsed.data;
  for (const issue of parsed.error.issues) {
    check.addIssue({ ...issue, path: isObject ? issue.path : [] });
  }
  return z.NEVER;
});

/** Maps the input fields of a step to their sources. */
export const inputMappingSchema = z.record(z.string().min(1).max(64), inputValueSchema);
export type InputMapping = Readonly<Record<string, InputValue>>;
