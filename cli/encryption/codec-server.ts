import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { blobRefSchema, mediaTypes } from '../../domain/store';
import { closedPolicy, commonHeaders, refuseHost, refuseNotJson, type Refusal } from '../ui/http/access';
import { badRequest, HttpError, notFound, readBody, sendJson, toHttpError } from '../ui/http/answer';
import type { Authorize } from './authorize';
import type { Contents } from './contents';
import type { PayloadService } from './payloads';

/** Options of `startCodecServer`. */
interface CodecServerOptions {
  readonly host: string;
  /** Port to listen on; 0 for any. */
  readonly port: number;
  /** Origins of the Web UIs whose pages may read answers. */
  readonly origins: readonly string[];
  readonly authorize: Authorize;
  /** Whether requests must name this machine. Beyond loopback, tokens are required instead. */
  readonly isLocal: boolean;
}

/** A running codec server. */
export interface CodecServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Payloads of one page of a history, as base64. */
const maxBodyBytes = 32 * 1024 * 1024;

/** Serves `/encode`, `/decode` and `/content`. */
export async function startCodecServer(
  payloads: PayloadService,
  contents: Contents | undefined,
  options: CodecServerOptions,
): Promise<CodecServer> {
  const handler = new Handler(payloads, contents, options);
  const server = createServer((request, response) => {
    handler.handle(request, response).catch(() => response.destroy());
  });
  const port = await listen(server, options);
  handler.port = port;
  return {
    port,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

function listen(server: Server, { host, port }: CodecServerOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** Checks every request before anything is done for it. */
class Handler {
  port = 0;

  constructor(
    private readonly payloads: PayloadService,
    private readonly contents: Contents | undefined,
    private readonly options: CodecServerOptions,
  ) {}

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for (const [name, value] of Object.entries(commonHeaders)) response.setHeader(name, value);
    response.setHeader('Content-Security-Policy', closedPolicy);
    try {
      if (this.options.isLocal) throwIf(refuseHost(request, this.port));
      this.allowOrigin(request, response);
      if (request.method === 'OPTIONS') response.writeHead(204).end();
      else await this.answer(request, response);
    } catch (error) {
      await sendError(request, response, error);
    }
  }

  /** Lets pages of the Web UI read the answer, and refuses pages of others, which could not read it anyway. */
  private allowOrigin({ headers }: IncomingMessage, response: ServerResponse): void {
    const { origin } = headers;
    response.setHeader('Vary', 'Origin');
    if (origin === undefined) return;
    if (!this.options.origins.includes(origin))
      throw new HttpError(403, {
        type: 'Codec.ForeignOrigin',
        message: `Pages of ${origin} may not read payloads.`,
        remedy: 'Name the address of the Web UI: baton codec-server --ui <address>',
      });
    response.setHeader('Access-Control-Allow-Origin', origin);
    response.setHeader('Access-Control-Allow-Credentials', 'true');
    response.setHeader('Access-Control-Allow-Methods', 'GET, POST');
    response.setHeader('Access-Control-Allow-Headers', 'Content-Type, X-Namespace, Authorization');
    // Browsers ask before a page of another network reads from this machine.
    if (headers['access-control-request-private-network'] !== undefined)
      response.setHeader('Access-Control-Allow-Private-Network', 'true');
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    throwIf(await this.options.authorize(request));
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    if (request.method === 'POST' && (pathname === '/decode' || pathname === '/encode')) {
      throwIf(refuseNotJson(request));
      const body = await readBody(request, maxBodyBytes);
      const answer = pathname === '/decode' ? this.payloads.decode(body) : this.payloads.encode(body);
      return sendJson(request, response, 200, await answer);
    }
    const [, runId, hash] = /^\/content\/([^/]+)\/([^/]+)$/.exec(pathname) ?? [];
    if (request.method === 'GET' && runId !== undefined && hash !== undefined)
      return this.content(response, decoded(runId), hash, searchParams);
    throw notFound(`There is nothing at ${pathname}. Send payloads to /decode or /encode.`);
  }

  /** The whole of a content, as plain text, whatever it is. */
  private async content(response: ServerResponse, runId: string, hash: string, query: URLSearchParams): Promise<void> {
    const ref = blobRefSchema.safeParse({ hash, bytes: Number(query.get('bytes')), mediaType: mediaTypes.text });
    if (!ref.success || this.contents === undefined) throw badRequest('The address is not one of a content.');
    const bytes = await this.contents.read(runId, ref.data);
    response.writeHead(200, { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' });
    response.end(bytes);
  }
}

function throwIf(refused: Refusal | undefined): void {
  if (refused !== undefined) throw HttpError.from(refused);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw badRequest('The address is not valid.');
  }
}

async function sendError(request: IncomingMessage, response: ServerResponse, error: unknown): Promise<void> {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { status, answer } = toHttpError(error);
  // The rest of a body that was refused is not read.
  if (!request.complete) response.setHeader('Connection', 'close');
  await sendJson(request, response, status, answer);
}
