import { ApiError, type CountTokensRequest, invalidRequest, type ModelRequest, type PromptRequest } from '../api';
import { findSpec, type ModelSpec } from '../models';
import type { ServerState } from '../state';
import { renderPrompt, tokensIn } from '../prompt-usage';
import { validateCacheControl, validateSystem } from './blocks';
import { validateEnding, validateMessages, validateThinking, validateToolPairs } from './messages';
import {
  validateMaxTokens,
  validateOutputConfig,
  validateSampling,
  validateStopSequences,
  validateToolChoice,
  validateTools,
} from './parameters';
import { asObject, asString, type JsonObject, onlyKnown } from './parse';

const countFields = [
  'model',
  'messages',
  'system',
  'tools',
  'tool_choice',
  'thinking',
  'cache_control',
  'output_config',
  'speed',
];
const createFields = [
  ...countFields,
  ...['max_tokens', 'metadata', 'stop_sequences', 'stream', 'temperature', 'top_k', 'top_p', 'service_tier'],
  ...['container', 'inference_geo', 'diagnostics'],
];

/** Checks a request to create a message. */
export function validateMessageRequest(state: ServerState, body: unknown): ModelRequest {
  const request = asObject(body, 'body');
  onlyKnown(request, new Set(createFields));
  const model = findModel(state.models, asString(request['model'], 'model'));
  validateMaxTokens(request['max_tokens'], model);
  validateSampling(request, model);
  validateStopSequences(request['stop_sequences']);
  validatePrompt(state, request, model);
  return request as unknown as ModelRequest;
}

/** Checks a request to count tokens. */
export function validateCountRequest(state: ServerState, body: unknown): CountTokensRequest {
  const request = asObject(body, 'body');
  onlyKnown(request, new Set(countFields));
  validatePrompt(state, request, findModel(state.models, asString(request['model'], 'model')));
  return request as unknown as CountTokensRequest;
}

/** Returns a model by id, or throws the API's error. */
export function findModel(models: readonly ModelSpec[], id: string): ModelSpec {
  const model = findSpec(models, id);
  if (!model) throw new ApiError('not_found_error', `model: ${id}`);
  return model;
}

/** Checks the form of each part first, then how the parts fit together: later checks rely on earlier ones. */
function validatePrompt(state: ServerState, request: JsonObject, model: ModelSpec): void {
  validateOutputConfig(request['output_config']);
  validateSystem(request['system']);
  const tools = validateTools(request['tools']);
  validateToolChoice(request['tool_choice'], tools);
  const messages = validateMessages(request['messages']);
  validateCacheControl(request);
  validateToolPairs(messages);
  const prompt = renderPrompt(request as unknown as PromptRequest);
  validateThinking(messages, prompt);
  validateEnding(messages, model, state.paused.has(prompt.end.digest));
  const tokens = tokensIn(prompt.end.bytes);
  if (tokens > model.maxInputTokens) {
    throw invalidRequest(`prompt is too long: ${tokens} tokens > ${model.maxInputTokens} maximum`);
  }
}
