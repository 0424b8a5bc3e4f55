import { invalidRequest } from '../api-error';
import type { ModelSpec } from '../models';
import { asArray, asObject, asString, isObject } from './parse';
import type { JsonObject } from './parse';

const efforts = new Set<unknown>(['low', 'medium', 'high', 'xhigh', 'max']);

/** Native structured output: the script decides what is said, the schema only has to be one that the API takes. */
export function validateOutputConfig(value: unknown): void {
  if (value === undefined) return;
  const { effort, format } = asObject(value, 'output_config') as { effort?: unknown; format?: unknown };
  if (effort !== undefined && effort !== null && !efforts.has(effort)) {
    throw invalidRequest(`output_config.effort: Input should be one of ${[...efforts].join(', ')}`);
  }
  if (format === undefined || format === null) return;
  const wanted = asObject(format, 'output_config.format');
  if (wanted['type'] !== 'json_schema')
    throw invalidRequest("output_config.format.type: Input should be 'json_schema'");
  rejectOpenObjects(asObject(wanted['schema'], 'output_config.format.schema'));
}

function rejectOpenObjects(schema: JsonObject): void {
  if (schema['type'] === 'object' && schema['additionalProperties'] !== false) {
    throw invalidRequest(
      "output_config.format.schema: For 'object' type, 'additionalProperties' must be explicitly set to false",
    );
  }
  for (const child of Object.values(schema)) {
    if (isObject(child)) rejectOpenObjects(child);
    else if (Array.isArray(child)) child.filter(isObject).forEach(rejectOpenObjects);
  }
}

export function validateStopSequences(value: unknown): void {
  if (value === undefined) return;
  for (const [index, sequence] of asArray(value, 'stop_sequences').entries()) {
    if (asString(sequence, `stop_sequences.${index}`).trim() === '') {
      throw invalidRequest('stop_sequences: each stop sequence must contain non-whitespace');
    }
  }
}

/** Newer models choose their own sampling and turn such parameters away. */
export function validateSampling(request: JsonObject, model: ModelSpec): void {
  for (const name of ['temperature', 'top_p', 'top_k']) {
    const value = request[name];
    if (value === undefined) continue;
    if (!model.sampling) throw invalidRequest(`\`${name}\` is deprecated for this model.`);
    if (typeof value !== 'number') throw invalidRequest(`${name}: Input should be a valid number`);
    if (name !== 'top_k' && (value < 0 || value > 1)) throw invalidRequest(`${name}: range: 0..1`);
  }
}
