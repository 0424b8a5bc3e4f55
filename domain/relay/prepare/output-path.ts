import type { SkillDefinition } from '../../skill/skill-definition';
import type { JsonSchema } from '../../skill/output/json-output';
import type { XmlField } from '../../skill/output/output-format';
import { formatSegments, type Segment } from '../path';

/** Returns why this path can't exist in the skill's output; undefined when it may exist. */
export function outputPathProblem({ name, output }: SkillDefinition, path: readonly Segment[]): string | undefined {
  if (path.length === 0) return undefined;
  if (output === null) return `skill "${name}" returns free text, which has no fields`;
  const shape = output.json ?? (output.xml === undefined ? undefined : asSchema(output.xml));
  const missing = shape === undefined ? undefined : firstMissing(shape, path);
  return missing === undefined ? undefined : `the output of skill "${name}" has no ${formatSegments(missing)}`;
}

/** Returns the shortest prefix of the path that the schema rules out; undefined when the whole path may exist. */
function firstMissing(schema: JsonSchema, path: readonly Segment[]): readonly Segment[] | undefined {
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

/** Returns the schema of the JSON that an XML element is parsed into. Repeated fields become lists. */
function asSchema({ fields }: { readonly fields?: readonly XmlField[] | undefined }): JsonSchema {
  if (fields === undefined) return { type: 'string' };
  const properties = fields.map((field): [string, JsonSchema] => {
    const schema = asSchema(field);
    return [field.name, field.repeated === true ? { type: 'array', items: schema } : schema];
  });
  return { type: 'object', properties: Object.fromEntries(properties), additionalProperties: false };
}
