import { ApiError } from '../../api';
import { type ModelSpec, findSpec } from '../../models';
import { type JsonObject, isObject } from '../../validate/parse';
import type { ServerState } from '../../state';
import { type ChatMessage, type ChatRequest, contentText } from '../api';
import { validateChatMessages } from './messages';
import {
  validateChatMaxTokens,
  validateChatSampling,
  validateChatToolChoice,
  validateChatTools,
  validateResponseFormat,
  validateStop,
  validateStreaming,
} from './parameters';
import { requireKnown, requireString, wrongType } from './parse';

const requestFields = new Set([
  ...['model', 'messages', 'tools', 'tool_choice', 'parallel_tool_calls', 'max_tokens', 'max_completion_tokens'],
  ...['temperature', 'top_p', 'presence_penalty', 'frequency_penalty', 'n', 'seed', 'stop', 'stream', 'stream_options'],
  ...['response_format', 'user', 'reasoning_effort', 'verbosity', 'metadata', 'store', 'service_tier'],
]);

/** Checks a request to create a chat completion, apart from its length. */
export function validateChatRequest({ models }: ServerState, body: unknown): ChatRequest {
  if (!isObject(body)) throw wrongType('body', 'an object', body);
  requireKnown(body, requestFields);
  const model = findChatModel(models, requireString(body['model'], 'model'));
  validateChatMaxTokens(body, model);
  validateChatSampling(body);
  validateStop(body['stop']);
  validateStreaming(body);
  validateChatToolChoice(body['tool_choice'], validateChatTools(body['tools']));
  const messages = validateChatMessages(body['messages']);
  validateResponseFormat(body['response_format'], textsOf(body, messages));
  return body as unknown as ChatRequest;
}

function textsOf(body: JsonObject, messages: readonly ChatMessage[]): string {
  return body['response_format'] === undefined ? '' : messages.map(({ content }) => contentText(content)).join('\n');
}

/** Returns a model by id, or throws the API's error. */
export function findChatModel(models: readonly ModelSpec[], id: string): ModelSpec {
  const model = findSpec(models, id);
  if (model) return model;
  throw new ApiError('not_found_error', `The model '${id}' does not exist or you do not have access to it.`, {
    param: 'model',
  });
}

/** Rejects a prompt that does not fit into the model's context window. */
export function validatePromptLength(tokens: number, { maxInputTokens }: ModelSpec): void {
  if (tokens <= maxInputTokens) return;
  throw new ApiError(
    'invalid_request_error',
    `This model's maximum context length is ${maxInputTokens} tokens. However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`,
    { code: 'context_length_exceeded', param: 'messages' },
  );
}
