import { createServer } from 'node:net';

/** The only address that a dev server listens on. */
export const loopback = '127.0.0.1';

/** The ports of a dev server. */
export interface Ports {
  readonly grpc: number;
  readonly ui: number;
}

/** Temporal's default ports, at which other tools look for a server. */
export const defaultPorts: Ports = { grpc: 7233, ui: 8233 };

/** Returns the preferred ports if they are free, otherwise other free ones. */
export async function choosePorts(preferred: Partial<Ports>): Promise<Ports> {
  const grpc = await freePort(preferred.grpc);
  return { grpc, ui: await freePort(preferred.ui) };
}

async function freePort(preferred: number | undefined): Promise<number> {
  return (preferred === undefined ? undefined : await tryPort(preferred)) ?? (await tryPort(0)) ?? 0;
}

/** Returns the port that could be bound; undefined when it is taken. */
function tryPort(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => {
      resolve(undefined);
    });
    probe.listen({ host: loopback, port, exclusive: true }, () => {
      const address = probe.address();
      probe.close(() => {
        resolve(typeof address === 'object' && address ? address.port : undefined);
      });
    });
  });
}
