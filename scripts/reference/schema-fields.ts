import { z } from 'zod';

type JsonSchema = z.core.JSONSchema.BaseSchema;

/**
 * Describes what a schema accepts, for a table: the fields of an object, and for a union those of each alternative.
 * Optional fields end with `?`.
 */
export function fieldsOf(schema: z.ZodType): string {
  // Its content is not described, because it is not checked.
  if (schema instanceof z.ZodCustom) return 'object';
  return describe(z.toJSONSchema(schema, { unrepresentable: 'any', reused: 'inline' }));
}

function describe({ type, properties, required = [], anyOf, oneOf }: JsonSchema): string {
  const alternatives = anyOf ?? oneOf;
  if (alternatives !== undefined) return alternatives.map(describe).join('; or ');
  if (properties === undefined) return typeof type === 'string' ? type : '';
  const fields = Object.entries(properties).map(([name, field]) => {
    const text = required.includes(name) ? name : `${name}?`;
    const isFixed = typeof field === 'object' && field.const !== undefined;
    return isFixed ? `\`${text}: ${JSON.stringify(field.const)}\`` : `\`${text}\``;
  });
  return fields.join(', ');
}
