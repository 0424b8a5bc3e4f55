import { invalidRequest } from '../api';
import type { ModelSpec } from '../models';
import { asArray, asObject, asString, isObject, type JsonObject, onlyKnown } from './parse';

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
