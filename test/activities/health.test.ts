import type { Client } from '@temporalio/client';
import { createServer } from 'node:net';
import type { Store } from '../../domain/store';
import { serveHealth } from '../../worker/health/health-server';

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => {
        resolve(typeof address === 'object' && address !== null ? address.port : 0);
      });
    });
  });
}

test('a worker says that it is alive, and ready only while it polls and can write to its store', async () => {
  const address = `127.0.0.1:${await freePort()}`;
  let state = 'RUNNING';
  const client = { workflowService: { getSystemInfo: () => Promise.resolve({}) } } as unknown as Client;
  const disk: { problem?: Error } = {};
  const checkWritable = (): Promise<void> =>
    disk.problem === undefined ? Promise.resolve() : Promise.reject(disk.problem);
  const store = { checkWritable } as unknown as Store;
  const health = await serveHealth(address, { client, store, state: () => state });
  const ask = async (path: string): Promise<unknown> => {
    const response = await fetch(`http://${address}${path}`);
    return [response.status, await response.json()];
  };
  expect(await ask('/readyz')).toEqual([200, { ready: true, worker: 'RUNNING', server: null, store: null }]);
  state = 'STOPPING';
  expect(await ask('/readyz')).toEqual([503, { ready: false, worker: 'STOPPING', server: null, store: null }]);
  expect(await ask('/healthz')).toEqual([200, { status: 'ok', uptimeSeconds: expect.any(Number) as number }]);
  expect(await ask('/else')).toMatchObject([404, {}]);
  await expect(serveHealth(address, { client, store, state: () => state })).rejects.toThrow(
    /BATON_HEALTH_ADDRESS: can't listen/,
  );
  health?.close();
  disk.problem = new Error('the disk is full');
  const again = await serveHealth(address, { client, store, state: () => 'RUNNING' });
  expect(await ask('/readyz')).toMatchObject([503, { ready: false, store: 'the disk is full' }]);
  again?.close();
});
