import { connect } from 'node:net';
import { Connection } from '@temporalio/client';

export const devNamespace = 'default';

/** True once the server answers a question about its namespace, which it does only when all of its parts are up. */
export async function isHealthy(address: string): Promise<boolean> {
  // gRPC backs off for a second after a refused connection; asking the port first keeps the start short.
  if ((await probePort(address, 500)) !== undefined) return false;
  let connection: Connection | undefined;
  try {
    connection = await Connection.connect({ address, connectTimeout: '2s' });
    const { workflowService } = connection;
    await connection.withDeadline(Date.now() + 2_000, () =>
      workflowService.describeNamespace({ namespace: devNamespace }),
    );
    return true;
  } catch {
    return false;
  } finally {
    await connection?.close();
  }
}

/** Why nothing can be reached at `address`, or undefined when something listens there. */
export function probePort(address: string, limitMs: number): Promise<string | undefined> {
  const [, host = '', port = '7233'] = /^\[?(.*?)\]?(?::(\d+))?$/.exec(address) ?? [];
  return new Promise((resolve) => {
    const socket = connect({ host, port: Number(port) });
    const end = (reason: string | undefined): void => {
      socket.destroy();
      resolve(reason);
    };
    socket.setTimeout(limitMs, () => {
      end('no answer');
    });
    socket.once('connect', () => {
      end(undefined);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => {
      end(explain(error));
    });
  });
}

function explain(error: NodeJS.ErrnoException): string {
  switch (error.code) {
    case 'ECONNREFUSED':
      return 'connection refused, nothing listens there';
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'there is no host of that name';
    default:
      return error.message;
  }
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
