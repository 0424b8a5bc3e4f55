import { createServer, type AddressInfo, type Socket } from 'node:net';
import { connectClient } from '../../../temporal-config/node/connect-client';
import { connectWorker } from '../../../temporal-config/node/connect-worker';
import { devServerConnection, type ResolvedConnection } from '../../../temporal-config/node/connection';
import { ConnectionFailedError } from '../../../temporal-config/node/setup-error';
import { failureOf } from '../support/failure';

const configured = (address: string): ResolvedConnection => ({
  kind: 'configured',
  namespace: 'default',
  connectionOptions: { address },
  describe: address,
});

/** Far longer than the limit of 1.5 s that is given to the connection, and far shorter than the default. */
const patience = 60_000;

describe.each([
  ['client', (target: ResolvedConnection) => connectClient(target, {}, 1_500)],
  ['worker', (target: ResolvedConnection) => connectWorker(target, 1_500)],
])('a %s', (_, connect) => {
  test('fails soon when nothing is listening', async () => {
    const startedAt = Date.now();
    const failure = await failureOf(connect(configured('127.0.0.1:1')));
    expect(failure).toBeInstanceOf(ConnectionFailedError);
    expect(failure.message).toBe(
      'Cannot connect to Temporal at 127.0.0.1:1: connection refused, nothing is listening there',
    );
    expect(failure.remedy).toContain('TEMPORAL_ADDRESS');
    expect(Date.now() - startedAt).toBeLessThan(patience);
  });

  test('fails soon when something other than Temporal is listening and does not respond', async () => {
    const callers: Socket[] = [];
    const silent = createServer((caller) => callers.push(caller));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    const startedAt = Date.now();
    const failure = await failureOf(connect(configured(`127.0.0.1:${port}`)));
    expect(failure.message).toContain(`127.0.0.1:${port}`);
    expect(failure.remedy).toContain('TEMPORAL_TLS=true');
    expect(Date.now() - startedAt).toBeLessThan(patience);
    for (const caller of callers) caller.destroy();
    silent.close();
  });
});

test('a dev server that has stopped is distinguished from a wrong address', async () => {
  const target = devServerConnection({ address: '127.0.0.1:1', namespace: 'default', uiUrl: 'http://127.0.0.1:2' });
  expect((await failureOf(connectWorker(target))).remedy).toContain('baton dev');
});
