import { ApiError } from '../api';
import { answerCall, type AnsweringApi } from '../handlers/answer-call';
import { renderPrompt, tokensIn } from '../prompt-usage';
import type { ServerState } from '../state';
import { parseJson } from '../validate/parse';
import { type Exchange, readBody, sendJson } from '../wire/exchange';
import type { ChatRequest } from './api';
import { toMessagesRequest } from './to-messages';
import { findChatModel, validateChatRequest, validatePromptLength } from './validate/request';
import { completionReply } from './wire/build-completion';

/** Handles POST /v1/chat/completions. */
export async function createCompletion(state: ServerState, exchange: Exchange): Promise<void> {
  const body = await readBody(exchange);
  const chat = validateChatRequest(state, state.messages.share(parseJson(body)));
  const model = findChatModel(state.models, chat.model);
  const request = toMessagesRequest(chat, model.maxTokens);
  validatePromptLength(tokensIn(renderPrompt(request).end.bytes), model);
  await answerCall(state, exchange, state.log.record(request, body, chat), chatApi(state, chat));
}

function chatApi({ cache }: ServerState, request: ChatRequest): AnsweringApi {
  return {
    toolIdPrefix: 'call_',
    count: (prompt) => cache.useAutomatic(prompt),
    build: (_call, { identity, finished, usage }) =>
      completionReply({ id: `chatcmpl-${identity.slice(0, 24)}`, request, finished, usage }),
  };
}

/** Handles GET /v1/models for clients of this API. */
export function listChatModels({ models }: ServerState, exchange: Exchange): void {
  const data = models.map(({ id }) => ({ id, object: 'model', created: 1_767_225_600, owned_by: 'scripted' }));
  sendJson(exchange, 200, { object: 'list', data });
}

/** Refuses a request with a wrong key. Local servers need none, so a key is required only if the server has one. */
export function authenticateChat({ apiKey }: ServerState, { request: { headers } }: Exchange): void {
  if (apiKey === undefined) return;
  const given = /^Bearer (.*)$/.exec(headers.authorization ?? '')?.[1] ?? '';
  if (given === apiKey) return;
  // The message must not contain the key, because it ends up in logs and histories.
  const reason = given === '' ? "You didn't provide an API key." : 'Incorrect API key provided.';
  throw new ApiError('authentication_error', reason);
}
