import { ApiError } from '../api';
import type { ServerState } from '../state';
import { sendError } from '../wire/exchange';
import type { Exchange } from '../wire/exchange';
import { authenticate } from './authenticate';
import { reportCalls } from './calls';
import { countTokens } from './count-tokens';
import { createMessage } from './create-message';
import { listModels, showModel } from './models';

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
    sendError(exchange, known);
  }
}

async function dispatch(state: ServerState, exchange: Exchange, path: string): Promise<void> {
  const { method } = exchange.request;
  if (method === 'GET' && path === '/__calls') {
    reportCalls(state, exchange);
    return;
  }
  authenticate(state, exchange);
  const model = /^\/v1\/models\/([^/]+)$/.exec(path)?.[1];
  if (method === 'POST' && path === '/v1/messages') await createMessage(state, exchange);
  else if (method === 'POST' && path === '/v1/messages/count_tokens') await countTokens(state, exchange);
  else if (method === 'GET' && path === '/v1/models') listModels(state, exchange);
  else if (method === 'GET' && model !== undefined) showModel(state, exchange, decodeURIComponent(model));
  else throw new ApiError('not_found_error', `${method ?? ''} ${path}: not found`);
}
