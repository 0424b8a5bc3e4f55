import { invalidRequest } from '../api';
import type { ModelSpec } from '../models';
import { asArray, asObject, asString, isObject, type JsonObject, namePattern, onlyKnown } from './parse';

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

/** Checks the maximum length of the reply. */
export function validateMaxTokens(value: unknown, model: ModelSpec): void {
  if (value === undefined) throw invalidRequest('max_tokens: Field required');
  if (!Number.isInteger(value)) throw invalidRequest('max_tokens: Input should be a valid integer');
  const maxTokens = value as number;
  if (maxTokens < 0) throw invalidRequest('max_tokens: Input should be greater than or equal to 0');
  if (maxTokens > model.maxTokens) {
    const limit = `${model.maxTokens}, which is the maximum allowed number of output tokens for ${model.id}`;
    throw invalidRequest(`max_tokens: ${maxTokens} > ${limit}`);
  }
}

const efforts = new Set<unknown>(['low', 'medium', 'high', 'xhigh', 'max']);

/**
 * Checks the settings for native structured output. The script decides on the reply; the schema only has to be one that
 * the API accepts.
 */
export function validateOutputConfig(value: unknown): void {
  if (value === undefined) return;
  const config = asObject(value, 'output_config');
  onlyKnown(config, new Set(['effort', 'format']), 'output_config.');
  const { effort, format } = config as { effort?: unknown; format?: unknown };
  if (effort !== undefined && effort !== null && !efforts.has(effort)) {
    throw invalidRequest(`output_config.effort: Input should be one of ${[...efforts].join(', ')}`);
  }
  if (format === undefined || format === null) return;
  const outputFormat = asObject(format, 'output_config.format');
  onlyKnown(outputFormat, new Set(['type', 'schema']), 'output_config.format.');
  if (outputFormat['type'] !== 'json_schema')
    throw invalidRequest("output_config.format.type: Input should be 'json_schema'");
  validateOutputSchema(asObject(outputFormat['schema'], 'output_config.format.schema'));
}

/** Checks the stop sequences. */
export function validateStopSequences(value: unknown): void {
  if (value === undefined) return;
  for (const [index, sequence] of asArray(value, 'stop_sequences').entries()) {
    if (asString(sequence, `stop_sequences.${index}`).trim() === '') {
      throw invalidRequest('stop_sequences: each stop sequence must contain non-whitespace');
    }
  }
}

/** Checks the sampling parameters, which newer models refuse. */
export function validateSampling(request: JsonObject, model: ModelSpec): void {
  for (const name of ['temperature', 'top_p', 'top_k']) {
    const value = request[name];
    if (value === undefined) continue;
    if (!model.sampling) throw invalidRequest(`\`${name}\` is deprecated for this model.`);
    if (typeof value !== 'number') throw invalidRequest(`${name}: Input should be a valid number`);
    if (name !== 'top_k' && (value < 0 || value > 1)) throw invalidRequest(`${name}: range: 0..1`);
  }
}

/** JSON Schema keywords that the API does not support. */
const unsupported = ['minLength', 'maxLength', 'minimum', 'maximum', 'multipleOf', 'maxItems', 'uniqueItems'];

/** Checks the schema of a structured reply: objects must be closed, and only supported keywords are allowed. */
function validateOutputSchema(schema: JsonObject): void {
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
