import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, errorBody } from '../api';

/** The API's own limit on the size of a request. */
const maxBodyBytes = 32 * 1024 * 1024;

/** One HTTP request and its response. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  /** Aborts when the connection closes before the response is complete. */
  readonly signal: AbortSignal;
}

/** Whether the client has disconnected. */
export function isGone({ signal }: Exchange): boolean {
  return signal.aborted;
}

/** Reads the request body, up to the API's size limit. */
export async function readBody({ request }: Exchange): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    // Reads to the end even if it is too large: a client that is still writing would see a reset instead of the
    // response.
    if (bytes <= maxBodyBytes) chunks.push(chunk);
  }
  if (bytes > maxBodyBytes) throw new ApiError('request_too_large', 'Request exceeds the maximum size');
  return Buffer.concat(chunks);
}

/** Sends a JSON response. */
export function sendJson(
  exchange: Exchange,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  exchange.response.writeHead(status, {
    'content-type': 'application/json',
    'request-id': exchange.requestId,
    ...headers,
  });
  exchange.response.end(JSON.stringify(body));
}

/** Sends an error response in the API's format. */
export function sendError(
  exchange: Exchange,
  error: { readonly status: number; readonly type: string; readonly message: string },
  headers: Record<string, string> = {},
): void {
  sendJson(exchange, error.status, errorBody(error.type, error.message, exchange.requestId), headers);
}

/** Resolves after `ms` milliseconds, or at once when the connection closes. Never rejects. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0) await sleep(ms, undefined, { signal }).catch(() => undefined);
}
