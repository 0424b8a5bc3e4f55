import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { closedPolicy, commonHeaders } from './access';
import { sendJson, toHttpError } from './answer';

/** Where a server listens. */
export interface Listening {
  readonly host: string;
  /** Port to listen on; 0 for any. */
  readonly port: number;
  /** Number of ports to try, one after the other, while they are taken. Default: 1. */
  readonly portsToTry?: number;
}

/** A running server. */
export interface HttpServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Answers a request. What it throws is answered as an error. */
export type Answer = (request: IncomingMessage, response: ServerResponse, port: number) => Promise<void> | void;

/**
 * Starts a server whose answers no page of another site may read or embed, unless the function that answers allows it.
 * Rejects if the port can't be used.
 */
export async function startHttpServer(answer: Answer, listening: Listening): Promise<HttpServer> {
  let port = 0;
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : undefined);
    });
  });
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    for (const [name, value] of Object.entries(commonHeaders)) response.setHeader(name, value);
    response.setHeader('Content-Security-Policy', closedPolicy);
    try {
      await answer(request, response, port);
    } catch (error) {
      await sendError(request, response, error);
    }
  };
  port = await listen(server, listening);
  return {
    port,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function listen(server: Server, { host, port, portsToTry = 1 }: Listening): Promise<number> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, () => {
        server.off('error', reject);
        resolve();
      });
    });
    return (server.address() as AddressInfo).port;
  } catch (error) {
    const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
    if (!isTaken || portsToTry <= 1) throw error;
    return listen(server, { host, port: port + 1, portsToTry: portsToTry - 1 });
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
