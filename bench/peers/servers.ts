import { existsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../../scripts/cluster/services/postgres';
import { freePorts, Service, startInFolder } from '../../scripts/cluster/services/service';
import { packageFolder } from './installation';
import type { Place } from './system';

/** A server that a system needs besides its working process. It outlives that process. */
export interface Server {
  /** Where a new play finds it. */
  addresses(): Promise<Partial<Place>>;
  close(): Promise<void>;
}

/** PostgreSQL with its defaults, which wait for the disk at every commit. Every play has an empty database. */
export async function postgresServer(): Promise<Server> {
  const postgres = await startPostgres();
  let databases = 0;
  return {
    async addresses() {
      databases += 1;
      const name = `peers_${databases}`;
      await postgres.createDatabase(name);
      return { postgres: postgres.url(name) };
    },
    close: () => postgres.close(),
  };
}

/** The server of Restate with its defaults, on loopback. */
export async function restateServer(): Promise<Server> {
  const command = join(
    packageFolder(`@restatedev/restate-server-${process.platform}-${process.arch}`),
    'bin',
    'restate-server',
  );
  if (!existsSync(command)) throw new Error('restate-server is not available for this platform');
  const folder = await mkdtemp(join(tmpdir(), 'baton-restate-'));
  const [ingress = 0, admin = 0, fabric = 0, port = 0] = await freePorts(4);
  const service = new Service({
    name: 'restate-server',
    command,
    args: ['--no-logo'],
    env: {
      HOME: folder,
      RESTATE_BASE_DIR: folder,
      RESTATE_LISTEN_MODE: 'tcp',
      RESTATE_BIND_IP: '127.0.0.1',
      RESTATE_BIND_PORT: String(fabric),
      RESTATE_INGRESS__BIND_PORT: String(ingress),
      RESTATE_ADMIN__BIND_PORT: String(admin),
      RESTATE_DISABLE_TELEMETRY: 'true',
    },
    cwd: folder,
    logFile: join(folder, 'log'),
    isReady: () => fetch(`http://127.0.0.1:${admin}/health`).then(({ ok }) => ok),
  });
  const close = await startInFolder(service, folder);
  const url = (of: number): string => `http://127.0.0.1:${of}`;
  return { addresses: () => Promise.resolve({ restate: { ingress: url(ingress), admin: url(admin), port } }), close };
}
