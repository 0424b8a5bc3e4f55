import { rename } from 'node:fs/promises';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { freePorts } from '../../scripts/cluster/services/service';
import { say } from '../../testing/scripted-model';
import { Stand } from '../cli/support/stand';
import { testAddress } from '../support/harness';
import { until } from '../support/until';

/** Passes on connections to the test server until it is told to break them. */
class Cable {
  private readonly sockets = new Set<Socket>();
  private isCut = false;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<Cable> {
    const [host, port] = testAddress().split(':');
    const server = createServer((incoming) => {
      const outgoing = connect({ host, port: Number(port) });
      for (const [socket, other] of [
        [incoming, outgoing],
        [outgoing, incoming],
      ] as const) {
        cable.sockets.add(socket);
        socket.on('error', () => undefined).on('close', () => other.destroy());
        socket.pipe(other);
      }
      if (cable.isCut) incoming.destroy();
    });
    const cable = new Cable(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return cable;
  }

  get address(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  cut(): void {
    this.isCut = true;
    for (const socket of this.sockets) socket.destroy();
  }

  mend(): void {
    this.isCut = false;
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

describe('a worker with a health endpoint', () => {
  let stand: Stand;
  let cable: Cable;
  let health: string;
  const store = (): string => join(stand.folder, 'store');
  const ask = async (path: string): Promise<unknown> => {
    const response = await fetch(`http://${health}${path}`);
    return { status: response.status, ...((await response.json()) as object) };
  };
  const isReady = (expected: object): Promise<unknown> =>
    until(async () => {
      const found = await ask('/readyz');
      return JSON.stringify(found) === JSON.stringify({ ...(found as object), ...expected }) ? found : undefined;
    });

  beforeAll(async () => {
    [stand, cable] = await Promise.all([Stand.start(() => say('no script'), { withWorker: false }), Cable.start()]);
    const [port = 0] = await freePorts(1);
    health = `127.0.0.1:${port}`;
    await stand.startWorker({ TEMPORAL_ADDRESS: cable.address, BATON_HEALTH_ADDRESS: health });
  });
  afterAll(async () => {
    cable.mend();
    await stand.close();
    await cable.close();
  });

  const fine = { status: 200, ready: true, worker: 'RUNNING', server: null, store: null };

  test('is ready while it polls, reaches the server and can write to its store', async () => {
    expect(await isReady({ ready: true })).toEqual(fine);
    expect(await ask('/healthz')).toEqual({
      status: 'ok',
      uptimeSeconds: expect.any(Number) as number,
    });
    expect(await ask('/else')).toMatchObject({ status: 404 });
  });

  test('is not ready while its store is gone, and is again when it is back', async () => {
    await rename(store(), `${store()}-elsewhere`);
    const gone = await isReady({ ready: false });
    expect(gone).toMatchObject({
      status: 503,
      server: null,
      store: expect.stringContaining('cannot be used') as string,
    });
    await rename(`${store()}-elsewhere`, store());
    expect(await isReady({ ready: true })).toEqual(fine);
  });

  test('is not ready while the server does not answer, stays alive, and is ready again when it does', async () => {
    cable.cut();
    expect(await isReady({ ready: false })).toMatchObject({
      status: 503,
      server: expect.any(String) as string,
      store: null,
    });
    expect(await ask('/healthz')).toMatchObject({ status: 'ok' });
    cable.mend();
    await isReady({ ready: true });
  });

  test('keeps a second worker from starting at the same address', async () => {
    const second = await stand.startBatonWith({ BATON_HEALTH_ADDRESS: health }, 'worker').ended;
    expect(second.exitCode).not.toBe(0);
    expect(second.stderr).toContain(`BATON_HEALTH_ADDRESS: can't listen on ${health}`);
  });
});
