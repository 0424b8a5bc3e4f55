import { ApiError, invalidRequest } from '../api';
import type { ServerState } from '../state';
import type { Exchange } from '../wire/exchange';

/** Refuses a request without a valid API key or without the version header. */
export function authenticate({ apiKey }: ServerState, { request: { headers } }: Exchange): void {
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
