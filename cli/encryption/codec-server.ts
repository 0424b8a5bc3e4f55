import type { IncomingMessage, ServerResponse } from 'node:http';
import { blobRefSchema, mediaTypes } from '../../domain/store';
import { refuseHost, refuseNotJson } from '../ui/http/access';
import {
  badRequest,
  decodedPart,
  HttpError,
  notFound,
  readBody,
  requestedUrl,
  sendJson,
  throwIf,
} from '../ui/http/answer';
import { type HttpServer, type Listening, startHttpServer } from '../ui/http/http-server';
import type { Authorize } from './authorize';
import type { Contents } from './contents';
import type { PayloadService } from './payloads';

/** Options of `startCodecServer`. */
interface CodecServerOptions extends Listening {
  /** Origins of the Web UIs whose pages may read answers. */
  readonly origins: readonly string[];
  readonly authorize: Authorize;
  /** Whether requests must name this machine. Beyond loopback, tokens are required instead. */
  readonly isLocal: boolean;
}

/** Payloads of one page of a history, as base64. */
const maxBodyBytes = 32 * 1024 * 1024;

/** Serves `/encode`, `/decode` and `/content`. */
export function startCodecServer(
  payloads: PayloadService,
  contents: Contents | undefined,
  options: CodecServerOptions,
): Promise<HttpServer> {
  const handler = new Handler(payloads, contents, options);
  return startHttpServer((...asked) => handler.handle(...asked), options);
}

/** Checks every request before anything is done for it. */
class Handler {
  constructor(
    private readonly payloads: PayloadService,
    private readonly contents: Contents | undefined,
    private readonly options: CodecServerOptions,
  ) {}

  async handle(request: IncomingMessage, response: ServerResponse, port: number): Promise<void> {
    if (this.options.isLocal) throwIf(refuseHost(request, port));
    this.allowOrigin(request, response);
    if (request.method === 'OPTIONS') response.writeHead(204).end();
    else await this.answer(request, response);
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
    const { pathname, searchParams } = requestedUrl(request);
    if (request.method === 'POST' && (pathname === '/decode' || pathname === '/encode')) {
      throwIf(refuseNotJson(request));
      const body = await readBody(request, maxBodyBytes);
      const answer = pathname === '/decode' ? this.payloads.decode(body) : this.payloads.encode(body);
      return sendJson(request, response, 200, await answer);
    }
    const [, runId, hash] = /^\/content\/([^/]+)\/([^/]+)$/.exec(pathname) ?? [];
    if (request.method === 'GET' && runId !== undefined && hash !== undefined)
      return this.content(response, decodedPart(runId), hash, searchParams);
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
