import type { Client } from '@temporalio/client';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { devNamespace } from '../../temporal-config/dev-server/health';
import { connectClient } from '../../temporal-config/node/connect-client';
import { type ObjectStore, startObjectStore } from './services/object-store';
import { type Postgres, startPostgres } from './services/postgres';
import { storeDatabase, storeEnvironment } from './shared-store';
import { startTemporalServer, type TemporalServer } from './services/temporal-server';

/** Everything that workers of several machines share: a Temporal server, a database and an object store. */
export interface Cluster {
  readonly postgres: Postgres;
  readonly objects: ObjectStore;
  readonly temporal: TemporalServer;
  readonly client: Client;
  /** Empty folder for what the script itself needs. Workers get folders of their own. */
  readonly folder: string;
  /** What programs need to know to use the cluster. */
  readonly env: Readonly<Record<string, string>>;
  /** Ends all servers and deletes their data. Safe to call twice. */
  close(): Promise<void>;
}

type Close = () => Promise<unknown>;

/** Starts the servers. If one does not start, those before it are closed. */
export async function startCluster(say: (line: string) => void): Promise<Cluster> {
  const opened: Close[] = [];
  const close = async (): Promise<void> => {
    for (let next = opened.pop(); next !== undefined; next = opened.pop()) await next().catch(() => undefined);
  };
  try {
    const folder = await mkdtemp(join(tmpdir(), 'baton-cluster-'));
    opened.push(() => rm(folder, { recursive: true, force: true }));
    const postgres = await startPostgres();
    opened.push(postgres.close);
    await postgres.createDatabase(storeDatabase);
    say(`PostgreSQL is at port ${postgres.port}`);
    const objects = await startObjectStore();
    opened.push(objects.close);
    say(`the S3 server is at ${objects.endpoint}`);
    const temporal = await startTemporalServer(postgres);
    opened.push(temporal.close);
    say(`the Temporal server is at ${temporal.address}, its data in PostgreSQL`);
    const connected = await connectClient({
      kind: 'configured',
      connectionOptions: { address: temporal.address },
      namespace: devNamespace,
      describe: temporal.address,
    });
    opened.push(connected.close);
    const env = environment(postgres, objects, temporal);
    return { postgres, objects, temporal, client: connected.client, folder, env, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function environment(postgres: Postgres, objects: ObjectStore, { address }: TemporalServer): Record<string, string> {
  return {
    TEMPORAL_ADDRESS: address,
    TEMPORAL_NAMESPACE: devNamespace,
    ...storeEnvironment(objects, postgres),
  };
}
