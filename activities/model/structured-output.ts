import { transformJSONSchema } from '@anthropic-ai/sdk/lib/transform-json-schema';
import type { JsonSchema } from '../../domain/prompt/output';

/** Whether a schema has only what providers support: closed objects, and arrays whose items have a schema. */
export function isExpressible(schema: JsonSchema): boolean {
  if (schema.type === 'array' && schema.items === undefined) return false;
  if (schema.type === 'object' && isOpen(schema)) return false;
  return childrenOf(schema).every(isExpressible);
}

/**
 * An object that does not mention additional properties may be closed for the model, because its output still conforms.
 */
function isOpen({ properties = {}, additionalProperties }: JsonSchema): boolean {
  return additionalProperties === true || (additionalProperties === undefined && Object.keys(properties).length === 0);
}

/** Counts the properties that may be left out. */
export function optionalIn(schema: JsonSchema): number {
  const { properties = {}, required = [] } = schema;
  const own = Object.keys(properties).filter((name) => !required.includes(name)).length;
  return childrenOf(schema).reduce((sum, child) => sum + optionalIn(child), own);
}

function childrenOf({ properties = {}, items }: JsonSchema): readonly JsonSchema[] {
  return [...Object.values(properties), ...(items === undefined ? [] : [items])];
}

/**
 * Converts a schema to the strict form that most providers support: every object is closed and has no optional
 * properties. Undefined when the schema cannot be expressed so, and the description in the prompt has to suffice. Limits
 * of length, size and value become part of descriptions and are checked afterwards.
 */
export function strictSchema(schema: JsonSchema): object | undefined {
  if (schema.type !== 'object' || !isExpressible(schema) || optionalIn(schema) > 0) return undefined;
  return transformJSONSchema(schema);
}
