import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LiveStreams } from '../live/stream';
import type { PageSource } from '../page-source';
import { closedPolicy, commonHeaders, refuseHost, refuseKey, refuseWrite, type Refusal } from './access';
import { HttpError, notFound, sendJson, toHttpError } from './answer';
import { Api } from './api';
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
  const server = createServer((request, response) => {
    handler.handle(request, response).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : undefined);
    });
  });
  const port = await listen(server, options.port, options.mayMove === true ? portsToTry : 1);
  handler.port = port;
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
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function listen(server: Server, port: number, attempts: number): Promise<number> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, loopback, () => {
        server.off('error', reject);
        resolve();
      });
    });
    return (server.address() as AddressInfo).port;
  } catch (error) {
    const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
    if (!isTaken || attempts <= 1) throw error;
    return listen(server, port + 1, attempts - 1);
  }
}

/** Checks every request before anything is done for it, then passes it on. */
class Handler {
  port = 0;

  constructor(
    private readonly api: Api,
    private readonly page: PageFile,
    private readonly key: string,
  ) {}

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for (const [name, value] of Object.entries(commonHeaders)) response.setHeader(name, value);
    response.setHeader('Content-Security-Policy', closedPolicy);
    try {
      throwIf(refuseHost(request, this.port));
      const url = new URL(request.url ?? '/', `http://${loopback}`);
      if (url.pathname.startsWith('/api/')) await this.answerApi(request, response, url);
      else this.sendPage(request, response, url.pathname);
    } catch (error) {
      await this.sendError(request, response, error);
    }
  }

  private async answerApi(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    throwIf(refuseKey(request, this.key));
    const path = url.pathname.slice('/api/'.length).split('/').map(decoded);
    const asked = { request, response, path, query: url.searchParams };
    if (request.method === 'GET') return this.api.get(asked);
    if (request.method !== 'POST') throw methodNotAllowed(request.method);
    throwIf(refuseWrite(request, this.port));
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

  private async sendError(request: IncomingMessage, response: ServerResponse, error: unknown): Promise<void> {
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const { status, answer } = toHttpError(error);
    // The rest of a body that was refused is not read.
    if (!request.complete) response.setHeader('Connection', 'close');
    await sendJson(request, response, status, answer);
  }
}

function throwIf(refused: Refusal | undefined): void {
  if (refused !== undefined) throw HttpError.from(refused);
}

function methodNotAllowed(method = ''): HttpError {
  return new HttpError(405, { type: 'Ui.MethodNotAllowed', message: `${method} is not possible here.`, remedy: null });
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw notFound('The address is not valid.');
  }
}
