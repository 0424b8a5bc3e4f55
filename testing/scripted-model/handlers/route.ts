import type { IncomingMessage } from 'node:http';
import { ApiError, invalidRequest } from '../api';
import { chatFormat } from '../chat/api';
import { authenticateChat, createCompletion, listChatModels } from '../chat/create-completion';
import type { CallRecord, RejectedRequest } from '../call-log';
import { modelInfo } from '../models';
import type { ServerState } from '../state';
import { renderPrompt, tokensIn } from '../prompt-usage';
import { parseJson } from '../validate/parse';
import { findModel, validateCountRequest } from '../validate/request';
import { messagesFormat } from '../wire/events';
import { type Exchange, readBody, sendError, sendJson } from '../wire/exchange';
import type { WireFormat } from '../wire/format';
import { createMessage } from './create-message';

/** Handles one HTTP request. Requests that the API would refuse are answered with its error and logged. */
export async function route(state: ServerState, exchange: Exchange): Promise<void> {
  const path = (exchange.request.url ?? '/').split('?', 1)[0] ?? '/';
  try {
    await dispatch(state, exchange, path);
  } catch (error) {
    if (exchange.response.destroyed || exchange.response.headersSent) return;
    const known = error instanceof ApiError ? error : new ApiError('api_error', String(error));
    const { status, type, message } = known;
    state.log.rejected.push({ receivedAt: Date.now(), path, status, type, message });
    sendError(exchange, { status, type, message, ...known.details });
  }
}

async function dispatch(state: ServerState, exchange: Exchange, path: string): Promise<void> {
  const { method } = exchange.request;
  if (method === 'GET' && path === '/__calls') {
    reportCalls(state, exchange);
    return;
  }
  if (exchange.format === chatFormat) {
    await dispatchChat(state, exchange, path);
    return;
  }
  authenticate(state, exchange);
  const model = /^\/v1\/models\/([^/]+)$/.exec(path)?.[1];
  if (method === 'POST' && path === '/v1/messages') await createMessage(state, exchange);
  else if (method === 'POST' && path === '/v1/messages/count_tokens') await countTokens(state, exchange);
  else if (method === 'GET' && path === modelsPath) listModels(state, exchange);
  else if (method === 'GET' && model !== undefined) showModel(state, exchange, decodeURIComponent(model));
  else throw new ApiError('not_found_error', `${method ?? ''} ${path}: not found`);
}

async function dispatchChat(state: ServerState, exchange: Exchange, path: string): Promise<void> {
  authenticateChat(state, exchange);
  const { method } = exchange.request;
  if (method === 'POST' && path === chatPath) await createCompletion(state, exchange);
  else if (method === 'GET' && path === modelsPath) listChatModels(state, exchange);
  else throw new ApiError('not_found_error', `Invalid URL (${method ?? ''} ${path})`);
}

const chatPath = '/v1/chat/completions';
const modelsPath = '/v1/models';

/** Returns the format of the API that a request is for. Both list models under one path. */
export function formatOf({ url = '/', headers }: IncomingMessage): WireFormat {
  const path = url.split('?', 1)[0];
  const isChat = path === chatPath || (path === modelsPath && headers['anthropic-version'] === undefined);
  return isChat ? chatFormat : messagesFormat;
}

/** Refuses a request without a valid API key or without the version header. */
function authenticate({ apiKey }: ServerState, { request: { headers } }: Exchange): void {
  const bearer = /^Bearer (.*)$/.exec(headers.authorization ?? '')?.[1];
  const given = single(headers['x-api-key']) ?? bearer ?? '';
  if (given === '') throw new ApiError('authentication_error', 'x-api-key header is required');
  // The message must not contain the key, because it ends up in logs and histories.
  if (apiKey !== undefined && given !== apiKey) throw new ApiError('authentication_error', 'invalid x-api-key');
  if (!single(headers['anthropic-version'])) throw invalidRequest('anthropic-version: header is required');
}

function single(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}

/** The call log as reported to other processes, without the content of the requests. */
export interface CallReport {
  readonly answered: number;
  readonly calls: readonly Omit<CallRecord, 'request' | 'chat'>[];
  readonly rejected: readonly RejectedRequest[];
}

/** Counts the calls whose reply was sent completely. */
export function countAnswered(calls: readonly CallRecord[]): number {
  return calls.filter((call) => call.outcome === 'answered').length;
}

/** Handles GET /__calls. */
function reportCalls({ log }: ServerState, exchange: Exchange): void {
  const calls = log.calls.map(({ index, attempt, receivedAt, model, digest, outcome, status, usage }) => ({
    index,
    attempt,
    receivedAt,
    model,
    digest,
    outcome,
    status,
    usage,
  }));
  const report: CallReport = { answered: countAnswered(log.calls), calls, rejected: log.rejected };
  sendJson(exchange, 200, report);
}

/** Handles POST /v1/messages/count_tokens. Counts all tokens of the prompt, cached or not. */
async function countTokens(state: ServerState, exchange: Exchange): Promise<void> {
  const request = validateCountRequest(state, parseJson(await readBody(exchange)));
  sendJson(exchange, 200, { input_tokens: tokensIn(renderPrompt(request).end.bytes) });
}

/** Handles GET /v1/models. Returns all models on one page. */
function listModels({ models }: ServerState, exchange: Exchange): void {
  sendJson(exchange, 200, {
    data: models.map(modelInfo),
    has_more: false,
    first_id: models[0]?.id ?? null,
    last_id: models.at(-1)?.id ?? null,
  });
}

/** Handles GET /v1/models/:id. */
function showModel({ models }: ServerState, exchange: Exchange, id: string): void {
  sendJson(exchange, 200, modelInfo(findModel(models, id)));
}
