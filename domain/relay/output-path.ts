import type { SkillDefinition } from '../skill/definition';
import type { JsonSchema } from '../skill/json-schema';
import type { XmlField } from '../skill/output-format';
import { showSegments, type Segment } from './path';

/** Why this path leads nowhere in what the skill returns; undefined when it may lead somewhere. */
export function problemOfOutputPath({ name, output }: SkillDefinition, path: readonly Segment[]): string | undefined {
  if (path.length === 0) return undefined;
  if (output === null) return `skill "${name}" returns free text, which has no fields`;
  const shape = output.json ?? (output.xml === undefined ? undefined : asSchema(output.xml));
  const stuck = shape === undefined ? undefined : followed(shape, path);
  return stuck === undefined ? undefined : `skill "${name}" returns nothing at ${showSegments(stuck)}`;
}

/** The beginning of the path that leads nowhere. */
function followed(schema: JsonSchema, path: readonly Segment[]): readonly Segment[] | undefined {
  let at: JsonSchema | undefined = schema;
  for (const [index, segment] of path.entries()) {
    const inList: boolean = typeof segment === 'number' || segment === '*';
    if (at.type !== (inList ? 'array' : 'object')) return path.slice(0, index + 1);
    const open: boolean = inList ? at.items === undefined : at.additionalProperties !== false;
    const below: JsonSchema | undefined = inList ? at.items : ownProperty(at, String(segment));
    if (below === undefined) return open ? undefined : path.slice(0, index + 1);
    at = below;
  }
  return undefined;
}

function ownProperty({ properties = {} }: JsonSchema, name: string): JsonSchema | undefined {
  return Object.hasOwn(properties, name) ? properties[name] : undefined;
}

/** An element as the JSON that it is read into: fields by name, lists of those that may be repeated. */
function asSchema({ fields }: { readonly fields?: readonly XmlField[] | undefined }): JsonSchema {
  if (fields === undefined) return { type: 'string' };
  const properties = fields.map((field): [string, JsonSchema] => {
    const one = asSchema(field);
    return [field.name, field.repeated === true ? { type: 'array', items: one } : one];
  });
  return { type: 'object', properties: Object.fromEntries(properties), additionalProperties: false };
}
