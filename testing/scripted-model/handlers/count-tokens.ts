import type { ServerState } from '../state';
import { renderPrompt } from '../usage/rendered-prompt';
import { tokensIn } from '../usage/tokens';
import { parseJson } from '../validate/parse';
import { validateCountRequest } from '../validate/request';
import { readBody, sendJson } from '../wire/exchange';
import type { Exchange } from '../wire/exchange';

/** Handles POST /v1/messages/count_tokens. Counts all tokens of the prompt, cached or not. */
export async function countTokens(state: ServerState, exchange: Exchange): Promise<void> {
  const request = validateCountRequest(state, parseJson(await readBody(exchange)));
  sendJson(exchange, 200, { input_tokens: tokensIn(renderPrompt(request).end.bytes) });
}
