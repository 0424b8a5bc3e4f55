import type { Json, JsonObject } from '../kernel';
import type { SkillDefinition } from '../skill';

type Schema = SkillDefinition['input'];

/**
 * Returns an input without the fields that are null although they are optional and their schema does not accept null.
 * Models often send null for a field that they mean to omit.
 */
export function omitNulls({ properties = {}, required = [] }: Schema, input: JsonObject): JsonObject {
  const kept = Object.entries(input).flatMap(([name, value]): [string, Json][] => {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (schema === undefined) return [[name, value]];
    const isOmitted = value === null && schema.type !== 'null' && !required.includes(name);
    return isOmitted ? [] : [[name, withoutNulls(schema, value)]];
  });
  return Object.fromEntries(kept);
}

function withoutNulls(schema: Schema, value: Json): Json {
  if (isList(value)) {
    const { items } = schema;
    return items === undefined ? value : value.map((item) => withoutNulls(items, item));
  }
  return typeof value === 'object' && value !== null ? omitNulls(schema, value) : value;
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

/** Returns the schema of an input as models see it: every optional field may also be null. */
export function acceptNulls({ properties, items, ...schema }: Schema): Readonly<Record<string, unknown>> {
  const { required = [] } = schema;
  const fields = Object.entries(properties ?? {}).map(([name, field]) => {
    const accepted = acceptNulls(field);
    const isNullable = field.type === 'null' || required.includes(name);
    return [name, isNullable ? accepted : { anyOf: [accepted, { type: 'null' }] }] as const;
  });
  return {
    ...schema,
    ...(items === undefined ? {} : { items: acceptNulls(items) }),
    ...(properties === undefined ? {} : { properties: Object.fromEntries(fields) }),
  };
}
