import { invalidRequest } from '../api';
import { asArray, asObject, asString, onlyKnown } from './parse';
import type { JsonObject } from './parse';

const namePattern = /^[a-zA-Z0-9_-]{1,128}$/;

/** Checks the tools and returns their names. */
export function validateTools(value: unknown): readonly string[] {
  if (value === undefined) return [];
  const names = asArray(value, 'tools').map((tool, index) => validateTool(asObject(tool, `tools.${index}`), index));
  if (new Set(names).size < names.length) throw invalidRequest('tools: Tool names must be unique.');
  return names;
}

function validateTool(tool: JsonObject, index: number): string {
  const path = `tools.${index}`;
  const name = asString(tool['name'], `${path}.name`);
  if (!namePattern.test(name)) {
    throw invalidRequest(`${path}.custom.name: String should match pattern '${namePattern.source}'`);
  }
  // Tools that the API itself defines have a type and no schema.
  if (tool['type'] !== undefined && tool['type'] !== null && tool['type'] !== 'custom') return name;
  const schema = asObject(tool['input_schema'], `${path}.custom.input_schema`);
  if (schema['type'] === undefined) throw invalidRequest(`${path}.custom.input_schema.type: Field required`);
  if (schema['type'] !== 'object') throw invalidRequest(`${path}.custom.input_schema.type: Input should be 'object'`);
  return name;
}

/** Fields that each type of tool choice allows. */
const choiceFields: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['auto', ['disable_parallel_tool_use']],
  ['any', ['disable_parallel_tool_use']],
  ['tool', ['disable_parallel_tool_use', 'name']],
  ['none', []],
]);

/** Checks the tool choice. */
export function validateToolChoice(value: unknown, tools: readonly string[]): void {
  if (value === undefined) return;
  const choice = asObject(value, 'tool_choice');
  const fields = choiceFields.get(choice['type']);
  if (fields === undefined) throw invalidRequest("tool_choice.type: Input should be 'auto', 'any', 'tool' or 'none'");
  onlyKnown(choice, new Set(['type', ...fields]), `tool_choice.${String(choice['type'])}.`);
  if (tools.length === 0) throw invalidRequest('tool_choice may only be specified while providing tools');
  if (choice['type'] !== 'tool') return;
  const name = asString(choice['name'], 'tool_choice.tool.name');
  if (!tools.includes(name)) throw invalidRequest(`Tool '${name}' not found in provided tools`);
}
