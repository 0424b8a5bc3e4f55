import { invalidRequest } from '../api';
import { asObject, isObject } from './parse';
import type { JsonObject } from './parse';

/** JSON Schema keywords that the API does not support. */
const unsupported = ['minLength', 'maxLength', 'minimum', 'maximum', 'multipleOf', 'maxItems', 'uniqueItems'];

/** Checks the schema of a structured reply: objects must be closed, and only supported keywords are allowed. */
export function validateOutputSchema(schema: JsonObject): void {
  const { type, additionalProperties, properties, items, minItems } = schema as Record<string, unknown>;
  if (type === 'object' && additionalProperties !== false) {
    throw refused("For 'object' type, 'additionalProperties' must be explicitly set to false");
  }
  const word = unsupported.find((name) => schema[name] !== undefined);
  if (word !== undefined) throw refused(`For '${String(type)}' type, property '${word}' is not supported`);
  if (minItems !== undefined && minItems !== 0 && minItems !== 1) {
    throw refused("For 'array' type, 'minItems' values other than 0 or 1 are not supported");
  }
  const children = isObject(properties) ? Object.values(properties) : [];
  for (const child of [...children, ...variantsOf(schema), ...(items === undefined ? [] : [items])]) {
    validateOutputSchema(asObject(child, 'output_config.format.schema'));
  }
}

function variantsOf({ anyOf, allOf, $defs }: JsonObject): unknown[] {
  return [anyOf, allOf, isObject($defs) ? Object.values($defs) : []].flatMap((list) =>
    Array.isArray(list) ? (list as unknown[]) : [],
  );
}

function refused(reason: string): Error {
  return invalidRequest(`output_config.format.schema: ${reason}`);
}
