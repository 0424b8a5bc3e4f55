import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';

/** Occupies a port. */
export async function takePort(): Promise<{ port: number; holder: Server }> {
  const holder = await listen(0);
  return { port: (holder.address() as AddressInfo).port, holder };
}

/**
 * Returns a free port below those that operating systems assign, so that no other test gets it while a server that used
 * it is restarted.
 */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 30_000);
    const holder = await listen(port).catch(() => undefined);
    if (holder === undefined) continue;
    holder.close();
    await once(holder, 'close');
    return port;
  }
}

async function listen(port: number): Promise<Server> {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
