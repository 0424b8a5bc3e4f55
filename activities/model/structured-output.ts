import type Anthropic from '@anthropic-ai/sdk';
import { transformJSONSchema } from '@anthropic-ai/sdk/lib/transform-json-schema';
import type { JsonSchema } from '../../domain/skill/output/json-output';

/**
 * The API compiles schemas and rejects complex ones. The limit is low on purpose: the prompt describes the format too.
 */
const maxOptionalProperties = 24;

/**
 * Converts a schema for the provider's structured output; undefined when the API cannot express it, and the description
 * in the prompt has to suffice. Limits of length, size and value become part of descriptions and are checked
 * afterwards.
 */
export function structuredOutput(schema: JsonSchema): Anthropic.JSONOutputFormat | undefined {
  if (schema.type !== 'object' || !isExpressible(schema) || optionalIn(schema) > maxOptionalProperties)
    return undefined;
  return { type: 'json_schema', schema: transformJSONSchema(schema) };
}

/** The API supports only closed objects, and arrays whose items have a schema. */
function isExpressible(schema: JsonSchema): boolean {
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

function optionalIn(schema: JsonSchema): number {
  const { properties = {}, required = [] } = schema;
  const own = Object.keys(properties).filter((name) => !required.includes(name)).length;
  return childrenOf(schema).reduce((sum, child) => sum + optionalIn(child), own);
}

function childrenOf({ properties = {}, items }: JsonSchema): readonly JsonSchema[] {
  return [...Object.values(properties), ...(items === undefined ? [] : [items])];
}
