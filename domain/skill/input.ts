import type { Json, JsonObject } from '../json-value';
import type { SkillDefinition } from './definition';
import { InvalidSkillInputError } from './errors';
import { violationOf } from './json-schema';

/** Refuses an input that the skill's own schema does not accept. */
export function requireSkillInput({ name, input: schema }: SkillDefinition, input: JsonObject): void {
  const violation = violationOf(schema, input);
  if (violation === undefined) return;
  throw new InvalidSkillInputError(name, violation.path.map(String).join('.') || 'input', violation.message);
}

/**
 * One line a field, `User Goal: "Add OAuth."`, in the order of the schema. Values are JSON, so that no value can look like
 * a heading of the prompt, however many lines it has.
 */
export function renderInput({ input: { properties = {} } }: SkillDefinition, input: JsonObject): string {
  const declared = Object.keys(properties).filter((name) => Object.hasOwn(input, name));
  const others = Object.keys(input).filter((name) => !Object.hasOwn(properties, name));
  const lines = [...declared, ...others.sort()].map((name) => {
    const title = Object.hasOwn(properties, name) ? properties[name]?.title : undefined;
    return `${title ?? label(name)}: ${asJson(input[name] ?? null)}`;
  });
  return lines.length === 0 ? 'None.' : lines.join('\n');
}

/** A name that is not plain is quoted as well. */
function label(name: string): string {
  return /^[A-Za-z_][\w .-]*$/.test(name) ? name : asJson(name);
}

/** JSON leaves two line separators of Unicode as they are. */
function asJson(value: Json): string {
  return JSON.stringify(value)
    .replace(/\u2028/g, '\\u2028')
    .replace(/\u2029/g, '\\u2029');
}
