import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { ApiError } from '../../../page/protocol';
import { explain } from '../../explain';
import { exitCodes } from '../../context';
import { refusal, type Refusal } from './access';

const compress = promisify(gzip);
const minCompressedBytes = 2_048;
const maxBodyBytes = 64 * 1024;

/** Answers with JSON, compressed if it is long. */
export async function sendJson(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  value: unknown,
): Promise<void> {
  const body = Buffer.from(JSON.stringify(value));
  const accepts = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
  const isLong = accepts && body.length >= minCompressedBytes;
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': 'no-store',
    ...(isLong ? { 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' } : {}),
  });
  response.end(isLong ? await compress(body) : body);
}

/** An error with a status, thrown by handlers. */
export class HttpError extends Error {
  constructor(
    readonly status: number,
    readonly answer: ApiError,
  ) {
    super(answer.message);
  }

  static from({ status, ...answer }: Refusal): HttpError {
    return new HttpError(status, answer);
  }
}

/** Creates the answer to a request for something that isn't there. */
export function notFound(message: string): HttpError {
  return new HttpError(404, { type: 'Ui.NotFound', message, remedy: null });
}

/** Creates the answer to a request that makes no sense. */
export function badRequest(message: string): HttpError {
  return new HttpError(400, { type: 'Ui.BadRequest', message, remedy: null });
}

/** Throws what a check has refused. */
export function throwIf(refused: Refusal | undefined): void {
  if (refused !== undefined) throw HttpError.from(refused);
}

/** The path and the query that a request names. A path that begins with two slashes is not the name of a host. */
export function requestedUrl({ url = '/' }: IncomingMessage): URL {
  try {
    return new URL(`http://localhost${url.startsWith('/') ? '' : '/'}${url}`);
  } catch {
    throw notFound('The address is not valid.');
  }
}

/** Decodes a part of a path. */
export function decodedPart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw notFound('The address is not valid.');
  }
}

/** Explains an error in the words of the command line, with a status. */
export function toHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  const { exitCode, message, remedy = null, type = 'Ui.Failed' } = explain(error);
  const status =
    statuses[type] ?? (exitCode === exitCodes.unavailable ? 503 : exitCode === exitCodes.misused ? 400 : 500);
  return new HttpError(status, { type, message, remedy });
}

const statuses: Readonly<Record<string, number>> = {
  'Client.NotFound': 404,
  'Client.NoWorkspace': 404,
  'Client.NoWorker': 503,
  'Client.Ambiguous': 409,
  'Store.BlobMissing': 404,
  'Encryption.KeyMissing': 503,
  'Input.Invalid': 400,
};

/** Reads a JSON object. Throws an `HttpError` if the body is too long or not an object. */
export async function readBody(
  request: IncomingMessage,
  maxBytes = maxBodyBytes,
): Promise<Readonly<Record<string, unknown>>> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > maxBytes)
      throw HttpError.from(refusal(413, 'Ui.TooLarge', `The body may have at most ${maxBytes} bytes.`));
    parts.push(part);
  }
  const value = parsed(Buffer.concat(parts).toString('utf8'));
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw badRequest('The body must be a JSON object.');
  return value as Readonly<Record<string, unknown>>;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw badRequest('The body is not valid JSON.');
  }
}
