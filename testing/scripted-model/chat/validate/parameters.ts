import type { ModelSpec } from '../../models';
import { isObject, type JsonObject } from '../../validate/parse';
import {
  invalidParameter,
  invalidValue,
  requireArray,
  requireFunctionName,
  requireKnown,
  requireObject,
  requireOptional,
  requireString,
  wrongType,
} from './parse';

/** Checks the tools and returns their names. */
export function validateChatTools(value: unknown): readonly string[] {
  if (value === undefined) return [];
  const tools = requireArray(value, 'tools');
  if (tools.length === 0) {
    throw invalidParameter("Invalid 'tools': empty array. Expected an array with minimum length 1.", 'tools');
  }
  const names = tools.map((tool, index) => validateTool(requireObject(tool, `tools[${index}]`), `tools[${index}]`));
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw invalidParameter(`Duplicate function name: ${twice}`, 'tools');
  return names;
}

function validateTool(tool: JsonObject, path: string): string {
  requireKnown(tool, new Set(['type', 'function']), path);
  if (tool['type'] !== 'function') throw invalidValue(`${path}.type`, tool['type'], ['function']);
  const described = requireObject(tool['function'], `${path}.function`);
  requireKnown(described, new Set(['name', 'description', 'parameters', 'strict']), `${path}.function`);
  const name = requireFunctionName(described['name'], `${path}.function.name`);
  requireOptional(described['description'], `${path}.function.description`, 'string');
  requireOptional(described['strict'], `${path}.function.strict`, 'boolean');
  const { parameters } = described as { parameters?: unknown };
  if (parameters === undefined) return name;
  if (requireObject(parameters, `${path}.function.parameters`)['type'] !== 'object') {
    throw invalidParameter(
      `Invalid schema for function '${name}': schema must be a JSON Schema of 'type: "object"'.`,
      `${path}.function.parameters`,
      'invalid_function_parameters',
    );
  }
  return name;
}

/** Checks the tool choice. */
export function validateChatToolChoice(value: unknown, tools: readonly string[]): void {
  if (value === undefined) return;
  if (tools.length === 0) {
    throw invalidParameter("'tool_choice' is only allowed when 'tools' are specified.", 'tool_choice');
  }
  if (typeof value === 'string') {
    const allowed = ['none', 'auto', 'required'];
    if (!allowed.includes(value)) throw invalidValue('tool_choice', value, allowed);
    return;
  }
  const choice = requireObject(value, 'tool_choice');
  if (choice['type'] !== 'function') throw invalidValue('tool_choice.type', choice['type'], ['function']);
  const name = requireString(
    requireObject(choice['function'], 'tool_choice.function')['name'],
    'tool_choice.function.name',
  );
  if (!tools.includes(name)) {
    throw invalidParameter(`Tool choice '${name}' not found in 'tools' parameter.`, 'tool_choice');
  }
}

/** Checks the maximum length of the reply, which has two names. */
export function validateChatMaxTokens(request: JsonObject, model: ModelSpec): void {
  const given = ['max_tokens', 'max_completion_tokens'].filter((name) => (request[name] ?? null) !== null);
  if (given.length > 1) {
    throw invalidParameter(
      "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
      'max_tokens',
    );
  }
  for (const name of given) {
    const value = request[name];
    if (typeof value !== 'number' || !Number.isInteger(value)) throw wrongType(name, 'an integer', value);
    if (value < 1)
      throw invalidParameter(`Invalid '${name}': integer below minimum value. Expected a value >= 1.`, name);
    if (value > model.maxTokens) {
      throw invalidParameter(
        `${name} is too large: ${value}. This model supports at most ${model.maxTokens} completion tokens.`,
        name,
      );
    }
  }
}

const maxStops = 4;

/** Checks the stop sequences. */
export function validateStop(value: unknown): void {
  if (value === undefined || value === null) return;
  const list = typeof value === 'string' ? [value] : requireArray(value, 'stop');
  if (list.length > maxStops) {
    throw invalidParameter(
      `Invalid 'stop': array too long. Expected an array with maximum length ${maxStops}.`,
      'stop',
    );
  }
  for (const [at, sequence] of list.entries()) {
    if (requireString(sequence, `stop[${at}]`) === '') throw invalidParameter("Invalid 'stop': empty string.", 'stop');
  }
}

/** Checks numbers that influence the choice of words. */
export function validateChatSampling(request: JsonObject): void {
  const ranges = { temperature: [0, 2], top_p: [0, 1], presence_penalty: [-2, 2], frequency_penalty: [-2, 2] } as const;
  for (const [name, [least, most]] of Object.entries(ranges)) {
    const value = request[name];
    requireOptional(value, name, 'number');
    if (typeof value !== 'number' || (value >= least && value <= most)) continue;
    throw invalidParameter(`Invalid '${name}': expected a value between ${least} and ${most}, but got ${value}.`, name);
  }
  const { n } = request as { n?: unknown };
  if (n !== undefined && n !== null && n !== 1) throw invalidParameter("Invalid 'n': only 1 is supported.", 'n');
}

/** Checks how the reply is sent. */
export function validateStreaming({ stream, stream_options: options }: JsonObject): void {
  requireOptional(stream, 'stream', 'boolean');
  if (options === undefined || options === null) return;
  if (stream !== true) {
    throw invalidParameter(
      "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
      'stream_options',
    );
  }
  const given = requireObject(options, 'stream_options');
  requireKnown(given, new Set(['include_usage']), 'stream_options');
  requireOptional(given['include_usage'], 'stream_options.include_usage', 'boolean');
}

/** Checks the required format of the reply. `texts` are those of all messages. */
export function validateResponseFormat(value: unknown, texts: string): void {
  if (value === undefined) return;
  const format = requireObject(value, 'response_format');
  const { type } = format as { type?: unknown };
  if (type === 'json_object' && !/json/i.test(texts)) {
    throw invalidParameter(
      "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
      'messages',
    );
  }
  if (type === 'text' || type === 'json_object') return;
  if (type !== 'json_schema') throw invalidValue('response_format.type', type, ['text', 'json_object', 'json_schema']);
  const path = 'response_format.json_schema';
  const described = requireObject(format['json_schema'], path);
  requireKnown(described, new Set(['name', 'schema', 'strict', 'description']), path);
  requireFunctionName(described['name'], `${path}.name`);
  requireOptional(described['strict'], `${path}.strict`, 'boolean');
  requireOptional(described['description'], `${path}.description`, 'string');
  const schema = requireObject(described['schema'], `${path}.schema`);
  if (described['strict'] === true) validateStrictSchema(schema, String(described['name']));
}

/** Keywords that strict schemas do not support. */
const unsupported = ['minLength', 'maxLength', 'uniqueItems', 'allOf', 'not'];

/** Checks a strict schema: objects are closed and all of their properties are required. */
function validateStrictSchema(schema: JsonObject, name: string): void {
  const { type, properties, required, additionalProperties, items, anyOf } = schema as Record<string, unknown>;
  const refuse = (reason: string): Error =>
    invalidParameter(`Invalid schema for response_format '${name}': ${reason}`, 'response_format', 'invalid_schema');
  const word = unsupported.find((keyword) => schema[keyword] !== undefined);
  if (word !== undefined) throw refuse(`'${word}' is not permitted.`);
  if (type === 'object') {
    if (additionalProperties !== false)
      throw refuse("'additionalProperties' is required to be supplied and to be false.");
    const names = isObject(properties) ? Object.keys(properties) : [];
    const listed: readonly unknown[] = Array.isArray(required) ? required : [];
    if (names.some((each) => !listed.includes(each)))
      throw refuse("'required' is required to be supplied and to be an array including every key in properties.");
  }
  const children = isObject(properties) ? Object.values(properties) : [];
  const variants: readonly unknown[] = Array.isArray(anyOf) ? anyOf : [];
  for (const child of [...children, ...variants, ...(items === undefined ? [] : [items])]) {
    validateStrictSchema(requireObject(child, 'response_format'), name);
  }
}
