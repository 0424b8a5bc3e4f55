import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { LiveStreams } from '../live/stream';
import type { PageSource } from '../page-source';
import { refuseHost, refuseKey, refuseWrite } from './access';
import { decodedPart, HttpError, notFound, requestedUrl, throwIf } from './answer';
import { Api } from './api';
import { startHttpServer } from './http-server';
import type { PageFile } from './page-file';

/** Options of `startUiServer`. */
export interface UiServerOptions {
  readonly page: PageFile;
  readonly version: string;
  /** Refuse everything that changes a run. Default: false. */
  readonly isReadOnly?: boolean;
  /** Port to listen on; 0 for any. */
  readonly port: number;
  /** Whether the next free port is used if this one is taken. Default: false. */
  readonly mayMove?: boolean;
  /** Key of the address. Default: a new one. */
  readonly key?: string;
  /** How long a run is followed after the last page has left it. Default: 60,000. */
  readonly lingerMs?: number;
}

/** A running server of the page. */
export interface UiServer {
  readonly port: number;
  readonly key: string;
  /** Address without the key. */
  readonly origin: string;
  /** Address to open, with the key in its fragment, which is not sent to any server. */
  address(runId?: string): string;
  /** Number of runs that are followed at the moment. */
  readonly followedRuns: number;
  close(): Promise<void>;
}

const loopback = '127.0.0.1';
const portsToTry = 20;

/** Serves the page on this machine alone. Rejects if the port can't be used. */
export async function startUiServer(source: PageSource, options: UiServerOptions): Promise<UiServer> {
  const key = options.key ?? randomBytes(32).toString('base64url');
  const streams = new LiveStreams(source, randomBytes(6).toString('hex'), options.lingerMs);
  const api = new Api(source, streams, { version: options.version, isReadOnly: options.isReadOnly ?? false });
  const handler = new Handler(api, options.page, key);
  const server = await startHttpServer((...asked) => handler.handle(...asked), {
    host: loopback,
    port: options.port,
    portsToTry: options.mayMove === true ? portsToTry : 1,
  });
  const { port } = server;
  const origin = `http://${loopback}:${port}`;
  return {
    port,
    key,
    origin,
    address: (runId) => `${origin}/#${runId === undefined ? '' : `/r/${encodeURIComponent(runId)}?`}k=${key}`,
    get followedRuns() {
      return streams.feeds.size;
    },
    async close() {
      streams.close();
      await server.close();
    },
  };
}

interface Received {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly port: number;
}

/** Checks every request before anything is done for it, then passes it on. */
class Handler {
  constructor(
    private readonly api: Api,
    private readonly page: PageFile,
    private readonly key: string,
  ) {}

  async handle(request: IncomingMessage, response: ServerResponse, port: number): Promise<void> {
    throwIf(refuseHost(request, port));
    const url = requestedUrl(request);
    if (url.pathname.startsWith('/api/')) await this.answerApi({ request, response, port }, url);
    else this.sendPage(request, response, url.pathname);
  }

  private async answerApi({ request, response, port }: Received, url: URL): Promise<void> {
    throwIf(refuseKey(request, this.key));
    const path = url.pathname.slice('/api/'.length).split('/').map(decodedPart);
    const asked = { request, response, path, query: url.searchParams };
    if (request.method === 'GET') return this.api.get(asked);
    if (request.method !== 'POST') throw methodNotAllowed(request.method);
    throwIf(refuseWrite(request, port));
    return this.api.post(asked);
  }

  /** The page has no data, so it needs no key. What is looked at is in the fragment, which never arrives here. */
  private sendPage({ method }: IncomingMessage, response: ServerResponse, pathname: string): void {
    if (pathname !== '/') throw notFound(`There is nothing at ${pathname}.`);
    if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowed(method);
    response.setHeader('Content-Security-Policy', this.page.policy);
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' });
    response.end(method === 'HEAD' ? undefined : this.page.html);
  }
}

function methodNotAllowed(method = ''): HttpError {
  return new HttpError(405, { type: 'Ui.MethodNotAllowed', message: `${method} is not possible here.`, remedy: null });
}
