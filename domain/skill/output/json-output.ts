import { z } from 'zod';
import type { Json } from '../../kernel/json-value';

/**
 * The subset of JSON Schema that a skill may use: what is easy to describe to a model and what the structured output of
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

/** Validates a JSON Schema in a skill file. */
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
      return z.record(z.string().min(1), jsonSchemaSchema).optional();
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
  .superRefine(({ required = [], properties = {} }, check) => {
    required.forEach((name, index) => {
      if (Object.hasOwn(properties, name)) return;
      check.addIssue({ code: 'custom', path: ['required', index], message: `unknown property "${name}"` });
    });
  });

/** Checks a value against a schema. Returns the first violation, or undefined when the value is valid. */
export function jsonViolation(schema: JsonSchema, value: Json): { path: PropertyKey[]; message: string } | undefined {
  const parsed = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]).safeParse(value);
  const issue = parsed.error?.issues[0];
  return issue === undefined ? undefined : { path: issue.path, message: issue.message };
}
