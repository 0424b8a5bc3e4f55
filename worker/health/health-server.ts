import { createServer, type ServerResponse } from 'node:http';
import { InvalidSettingError } from '../../temporal-config/node/setup-error';
import { splitAddress } from '../../temporal-config/node/telemetry-settings';
import { type HealthSources, Readiness } from './readiness';

/**
 * Serves `/healthz`, which answers while the process does, and `/readyz`, which says whether the worker polls, reaches the
 * server and can write to its store. Does nothing without an address.
 */
export async function serveHealth(
  address: string | undefined,
  sources: HealthSources,
): Promise<{ close(): void } | undefined> {
  const where = address === undefined ? undefined : splitAddress(address);
  if (address === undefined || where === undefined) return undefined;
  const readiness = new Readiness(sources);
  const server = createServer((request, response) => {
    const path = request.url?.split('?')[0];
    if (path === '/healthz') answer(response, 200, { status: 'ok', uptimeSeconds: Math.round(process.uptime()) });
    else if (path === '/readyz')
      void readiness.look().then((found) => {
        answer(response, found.ready ? 200 : 503, found);
      });
    else answer(response, 404, { error: 'Only /healthz and /readyz are served here.' });
  });
  // Whoever asks must not be able to hold a worker that wants to end.
  server.requestTimeout = 5_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => {
      const remedy = 'Set BATON_HEALTH_ADDRESS to an address of this machine with a free port, or unset it.';
      reject(new InvalidSettingError('BATON_HEALTH_ADDRESS', `can't listen on ${address} (${error.message})`, remedy));
    });
    server.listen(where, resolve);
  });
  return {
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store', connection: 'close' });
  response.end(`${JSON.stringify(body)}\n`);
}
