import type Anthropic from '@anthropic-ai/sdk';
import { transformJSONSchema } from '@anthropic-ai/sdk/lib/transform-json-schema';
import type { JsonSchema } from '../../domain/skill/json-schema';

/** The API compiles schemas, and refuses complex ones. On the safe side: without it, the prompt still asks for the same. */
const maxOptionalProperties = 24;

/**
 * The provider's own structured output for a schema; undefined when it cannot express it, and the words of the prompt have
 * to do. Limits of length, size and value become part of descriptions: whether they were kept is checked afterwards.
 */
export function structuredOutput(schema: JsonSchema): Anthropic.JSONOutputFormat | undefined {
  if (schema.type !== 'object' || !isExpressible(schema) || optionalIn(schema) > maxOptionalProperties)
    return undefined;
  return { type: 'json_schema', schema: transformJSONSchema(schema) };
}

/** The API knows only closed objects, and lists whose items are described. */
function isExpressible(schema: JsonSchema): boolean {
  if (schema.type === 'array' && schema.items === undefined) return false;
  if (schema.type === 'object' && isOpen(schema)) return false;
  return childrenOf(schema).every(isExpressible);
}

/** One that says nothing about further properties may be closed for the model: what it then writes is still accepted. */
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
