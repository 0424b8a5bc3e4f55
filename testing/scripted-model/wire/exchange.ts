import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../api';
import type { ReportedError, WireFormat } from './format';

/** The API's own limit on the size of a request. */
const maxBodyBytes = 32 * 1024 * 1024;

/** One HTTP request and its response. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  /** Format of the API that is called. */
  readonly format: WireFormat;
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
export function sendError(exchange: Exchange, error: ReportedError, headers: Record<string, string> = {}): void {
  sendJson(exchange, error.status, exchange.format.errorBody(error, exchange.requestId), headers);
}

/** Resolves after `ms` milliseconds, or at once when the connection closes. Never rejects. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0) await sleep(ms, undefined, { signal }).catch(() => undefined);
}

const keepAliveEveryMs = 5_000;

/** A stream of server-sent events that keeps the connection alive while the model is slow. */
export interface EventStream {
  send(text: string): void;
  fail(error: ReportedError): void;
  end(): void;
  release(): void;
}

/** Sends the headers of a stream and returns it. */
export function openEventStream({ response, requestId, format }: Exchange): EventStream {
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    'request-id': requestId,
  });
  const timer = setInterval(() => response.write(format.keepAlive), keepAliveEveryMs);
  return {
    send: (text) => {
      response.write(text);
    },
    fail: (error) => {
      response.end(format.streamError(error, requestId));
    },
    end: () => {
      response.end();
    },
    release: () => {
      clearInterval(timer);
    },
  };
}
