import { z } from 'zod';
import { checkValue, canonicalJson, type Json } from '../../kernel';
import { maxOutputDepth, outputViolation, quoteSnippet } from './violation';

/**
 * The subset of JSON Schema that prompts and skills may use: what is easy to describe to a model and what the structured output of
 * providers accepts. Without patterns and references, checking takes time linear in the size of the value.
 */
export interface JsonSchema {
  readonly type: 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean' | 'null';
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly enum?: readonly (string | number | boolean | null)[] | undefined;
  readonly properties?: Readonly<Record<string, JsonSchema>> | undefined;
  readonly required?: readonly string[] | undefined;
  readonly additionalProperties?: boolean | undefined;
  readonly items?: JsonSchema | undefined;
  readonly minItems?: number | undefined;
  readonly maxItems?: number | undefined;
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
}

const size = z.int().nonnegative().optional();

/** Validates a JSON Schema in a definition. */
export const jsonSchemaSchema: z.ZodType<JsonSchema> = z
  .strictObject({
    type: z.enum(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']),
    title: z
      .string()
      .regex(/^[^\n\r:]+$/, 'must be one line without a colon')
      .optional(),
    description: z.string().optional(),
    enum: z
      .array(z.union([z.string(), z.number(), z.boolean(), z.null()]))
      .min(1)
      .optional(),
    get properties() {
      return z.record(z.string().regex(/^[^\n\r]+$/, 'must be one line'), jsonSchemaSchema).optional();
    },
    required: z.array(z.string()).optional(),
    additionalProperties: z.boolean().optional(),
    get items() {
      return jsonSchemaSchema.optional();
    },
    minItems: size,
    maxItems: size,
    minLength: size,
    maxLength: size,
    minimum: z.number().optional(),
    maximum: z.number().optional(),
  })
  .superRefine((schema, check) => {
    const { required = [], properties = {} } = schema;
    required.forEach((name, index) => {
      if (Object.hasOwn(properties, name)) return;
      check.addIssue({ code: 'custom', path: ['required', index], message: `unknown property "${name}"` });
    });
    for (const [least, most] of bounds) {
      if ((schema[least] ?? -Infinity) <= (schema[most] ?? Infinity)) continue;
      check.addIssue({ code: 'custom', path: [least], message: `is greater than ${most}, so no value can be valid` });
    }
  });

const bounds = [
  ['minItems', 'maxItems'],
  ['minLength', 'maxLength'],
  ['minimum', 'maximum'],
] as const;

/** Checks a value against a schema. Returns the first violation, or undefined when the value is valid. */
export function jsonViolation(schema: JsonSchema, value: Json): { path: PropertyKey[]; message: string } | undefined {
  const parsed = checkValue(z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]), value);
  const issue = parsed.error?.issues[0];
  return issue === undefined ? undefined : { path: issue.path, message: issue.message };
}

const remedy = 'Send exactly one JSON value: nothing before it, nothing after it.';

/**
 * Checks that a final message is exactly one JSON value that the schema accepts, alone or in one code fence, as a wrapped
 * prompt asks for it. Throws an `OutputViolation`.
 */
export function checkJson(schema: JsonSchema, text: string): { value: Json; text: string } {
  const value = parse(text);
  // Check this before any recursive function runs: a hundred thousand brackets must not overflow the call stack.
  if (isDeeperThan(maxOutputDepth, value)) {
    throw outputViolation(
      'the message',
      `it is nested more than ${maxOutputDepth} levels deep`,
      'Send a flatter value.',
    );
  }
  const found = jsonViolation(schema, value);
  if (found !== undefined) {
    throw outputViolation(
      placeOf(found.path),
      found.message.replace(/\.$/, ''),
      'Correct it to match the JSON Schema.',
    );
  }
  return { value, text: canonical(value) };
}

function parse(text: string): Json {
  const said = text.trim();
  if (said === '') throw outputViolation('the message', 'it is empty', remedy);
  try {
    return JSON.parse(insideFence(said) ?? text) as Json;
  } catch (error) {
    const reason = error instanceof SyntaxError ? error.message : 'it is not JSON';
    throw outputViolation(
      'the message',
      `it begins with ${quoteSnippet(said)}, which is not valid JSON: ${reason}`,
      remedy,
    );
  }
}

/** Returns what is inside the code fence, if the whole message is one; otherwise undefined. */
function insideFence(text: string): string | undefined {
  const opening = /^```(?:json)?[ \t]*\r?\n/.exec(text)?.[0];
  return opening !== undefined && text.endsWith('```') ? text.slice(opening.length, -3) : undefined;
}

/** Formats the value as canonical JSON. Rejects numbers that are out of range, such as 1e999: they parse to Infinity. */
function canonical(value: Json): string {
  try {
    return canonicalJson(value);
  } catch {
    throw outputViolation('the message', 'it contains a number that is out of range', 'Use smaller numbers, or text.');
  }
}

function isDeeperThan(limit: number, value: Json): boolean {
  let level: readonly Json[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > limit) return true;
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values<Json>(item) : []));
  }
  return false;
}

function placeOf(path: readonly PropertyKey[]): string {
  if (path.length === 0) return 'the message';
  return path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
    .replace(/^\./, '');
}
