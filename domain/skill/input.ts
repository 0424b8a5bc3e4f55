import type { Json, JsonObject } from '../kernel/json-value';
import type { SkillDefinition } from './skill-definition';
import { InvalidSkillInputError } from './errors';
import { jsonViolation } from './output/json-output';

/** Checks an input against the skill's input schema. Throws an `InvalidSkillInputError`. */
export function validateSkillInput({ name, input: schema }: SkillDefinition, input: JsonObject): void {
  const violation = jsonViolation(schema, input);
  if (violation === undefined) return;
  throw new InvalidSkillInputError(name, violation.path.map(String).join('.') || 'input', violation.message);
}

/**
 * Renders an input as one line per field, such as `User Goal: "Add OAuth."`, in the order of the schema. Values are JSON,
 * so that no value can look like a heading of the prompt, however many lines it has.
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

/** Quotes a field name that contains unusual characters. */
function label(name: string): string {
  return /^[A-Za-z_][\w .-]*$/.test(name) ? name : asJson(name);
}

/** Formats a value as JSON on one line. JSON does not escape the two Unicode line separators, so this does. */
function asJson(value: Json): string {
  return JSON.stringify(value)
    .replace(/\u2028/g, '\\u2028')
    .replace(/\u2029/g, '\\u2029');
}
