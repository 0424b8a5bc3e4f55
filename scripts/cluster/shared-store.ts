import type { Store } from '../../domain/store';
import { openStore } from '../../store/open-store';
import type { ObjectStore } from './services/object-store';
import type { Postgres } from './services/postgres';

/** Database of the store's journal. */
export const storeDatabase = 'baton';

/** Returns what programs need to know to use the store of the cluster: objects in S3, its journal in PostgreSQL. */
export function storeEnvironment({ endpoint, bucket, env }: ObjectStore, postgres: Postgres): Record<string, string> {
  const address = new URL(`s3://${bucket}/cluster`);
  address.searchParams.set('endpoint', endpoint);
  address.searchParams.set('journal', postgres.url(storeDatabase));
  return { BATON_STORE: address.href, ...env };
}

/** Opens the store of the cluster, to look at results from outside. */
export function openSharedStore(env: Readonly<Record<string, string>>): Promise<Store> {
  // The S3 client finds its keys only in the environment of its process.
  for (const [name, value] of Object.entries(env)) if (name.startsWith('AWS_')) process.env[name] = value;
  return openStore({ store: { address: env['BATON_STORE'] ?? '' } });
}
