import { connect } from 'node:net';
import { Connection } from '@temporalio/client';

/** Namespace that a dev server creates. */
export const devNamespace = 'default';

/** Whether the server responds to a request for its namespace, which it does only when all of its parts are running. */
export async function isHealthy(address: string): Promise<boolean> {
  // gRPC backs off for a second after a refused connection. Probing the port first keeps startup short.
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

const maxPort = 65_535;

/** Returns why nothing can be reached at `address`; undefined when something is listening there. */
export function probePort(address: string, limitMs: number): Promise<string | undefined> {
  const [, host = '', port = '7233'] = /^\[?(.*?)\]?(?::(\d+))?$/.exec(address) ?? [];
  if (Number(port) > maxPort) return Promise.resolve(`${port} is not a port: the highest is ${maxPort}`);
  return new Promise((resolve) => {
    const socket = connect({ host, port: Number(port) });
    const end = (reason: string | undefined): void => {
      socket.destroy();
      resolve(reason);
    };
    socket.setTimeout(limitMs, () => {
      end('no response');
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
      return 'connection refused, nothing is listening there';
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'unknown host name';
    default:
      return error.message;
  }
}
