import { createServer } from 'node:net';

export const loopback = '127.0.0.1';

export interface Ports {
  readonly grpc: number;
  readonly ui: number;
}

/** Temporal's usual ports, so that other tools find the server without being told. */
export const usualPorts: Ports = { grpc: 7233, ui: 8233 };

/** The wanted ports where they are free, others where not. */
export async function choosePorts(wanted: Partial<Ports>): Promise<Ports> {
  const grpc = await freePort(wanted.grpc);
  return { grpc, ui: await freePort(wanted.ui) };
}

async function freePort(wanted: number | undefined): Promise<number> {
  return (wanted === undefined ? undefined : await tryPort(wanted)) ?? (await tryPort(0)) ?? 0;
}

/** The port that could be bound, or nothing. */
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
