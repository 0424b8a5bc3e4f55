import { execFile } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import { goPrograms, obtain } from './go-programs';
import type { Postgres } from './postgres';
import { freePorts, Service, startInFolder } from './service';
import { serverConfiguration, serverSettings } from './temporal-configuration';
import { namespaceExists } from './temporal-namespace';

const run = promisify(execFile);

/** A Temporal server with all of its services, whose data is in PostgreSQL. */
export interface TemporalServer {
  readonly service: Service;
  readonly address: string;
  /** Stops it. Its data stays in PostgreSQL. */
  close(): Promise<void>;
}

/** Databases of a server, and the schema of each. */
export const databases = { temporal: 'postgresql/v12/temporal', temporal_visibility: 'postgresql/v12/visibility' };

/**
 * Starts a Temporal server on two new databases, or on those of an earlier one that were restored from a backup. Builds it
 * first if it is not in the cache.
 */
export async function startTemporalServer(postgres: Postgres, { isRestored = false } = {}): Promise<TemporalServer> {
  const { server = '', sql = '' } = await obtain(goPrograms.temporal);
  const missing = isRestored ? [] : Object.entries(databases);
  for (const [name, schema] of missing) await createSchema(sql, postgres, name, schema);
  const folder = await mkdtemp(join(tmpdir(), 'baton-temporal-'));
  const ports = await freePorts(9);
  const address = `127.0.0.1:${ports[0] ?? 0}`;
  const [config, settings] = [join(folder, 'config.yaml'), join(folder, 'settings.yaml')];
  await writeFile(settings, stringify(serverSettings));
  await writeFile(config, stringify(serverConfiguration(postgres, ports, settings)), { mode: 0o600 });
  const service = new Service({
    name: 'the Temporal server',
    command: server,
    args: ['--config-file', config, '--allow-no-auth', 'start'],
    cwd: folder,
    logFile: join(folder, 'log'),
    isReady: () => namespaceExists(address),
  });
  const close = await startInFolder(service, folder);
  return { service, address, close };
}

async function createSchema(sql: string, postgres: Postgres, database: string, schema: string): Promise<void> {
  const { port, user, password } = postgres;
  const tool = (...args: string[]): Promise<unknown> =>
    run(sql, ['--plugin', 'postgres12', '--ep', '127.0.0.1', '-p', String(port), '--db', database, ...args], {
      // In the environment, because everybody on the machine can read arguments.
      env: { ...process.env, SQL_USER: user, SQL_PASSWORD: password },
    });
  await tool('create-database');
  await tool('setup-schema', '-v', '0.0');
  await tool('update-schema', '--schema-name', schema);
}
