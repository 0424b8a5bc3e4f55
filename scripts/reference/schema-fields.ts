import { z } from 'zod';

interface JsonSchema {
  readonly type?: string;
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
}

/**
 * Describes what a schema accepts in a few words for a table: the fields of an object, and for a union those of each
 * alternative. Optional fields end with `?`.
 */
export function fieldsOf(schema: z.ZodType): string {
  // Its content is not described, because it is not checked.
  if (schema instanceof z.ZodCustom) return 'object';
  const json: JsonSchema = z.toJSONSchema(schema, { unrepresentable: 'any', reused: 'inline', io: 'output' });
  return describe(json);
}

function describe({ type, properties, required = [], anyOf, oneOf }: JsonSchema): string {
  const alternatives = anyOf ?? oneOf;
  if (alternatives !== undefined) return alternatives.map(describe).join('; or ');
  if (properties === undefined) return type ?? '';
  const fields = Object.entries(properties).map(([name, field]) => {
    const text = required.includes(name) ? name : `${name}?`;
    return field.const === undefined ? `\`${text}\`` : `\`${text}: ${JSON.stringify(field.const)}\``;
  });
  return fields.join(', ');
}
