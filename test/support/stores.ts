import { randomBytes } from 'node:crypto';
import { chmod } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { findBuilt, goPrograms } from '../../scripts/cluster/services/go-programs';
import { type ObjectStore, startObjectStore } from '../../scripts/cluster/services/object-store';
import { findPostgres, type Postgres, startPostgres } from '../../scripts/cluster/services/postgres';

/** Servers that stores can be on. */
export interface StoreServers {
  readonly postgres: Postgres;
  /** Returns the address of a database of its own. */
  newDatabase(): Promise<string>;
  close(): Promise<void>;
}

/** Starts a PostgreSQL server for the tests of a file. */
export async function startStoreServers(): Promise<StoreServers> {
  // As root, it runs as another user, who must be able to reach its folder in the one of these tests.
  if (process.getuid?.() === 0 && tmpdir() !== '/tmp') await chmod(tmpdir(), 0o711);
  const postgres = await startPostgres();
  return {
    postgres,
    newDatabase: async () => {
      const name = `test_${randomBytes(6).toString('hex')}`;
      await postgres.createDatabase(name);
      return postgres.url(name);
    },
    close: () => postgres.close(),
  };
}

/** Starts an S3 server. The client finds its keys in the environment of this process. */
export async function startBuckets(): Promise<ObjectStore> {
  const objects = await startObjectStore();
  Object.assign(process.env, objects.env);
  return objects;
}

/** Returns the address of a part of a bucket of its own. */
export function newPrefix({ bucket }: Pick<ObjectStore, 'bucket'>, endpoint: string, journal?: string): string {
  const url = new URL(`s3://${bucket}/${randomBytes(6).toString('hex')}`);
  url.searchParams.set('endpoint', endpoint);
  if (journal !== undefined) url.searchParams.set('journal', journal);
  return url.href;
}

const noPostgres = findPostgres() === undefined ? 'PostgreSQL is not installed' : undefined;
const noTemporal = findBuilt(goPrograms.temporal) === undefined ? 'the Temporal server has not been built' : undefined;
const noBuckets = findBuilt(goPrograms.objectStore) === undefined ? 'versitygw has not been built' : undefined;

/** Like `describe`. Without PostgreSQL, the tests are skipped, and their names say why. */
export const describeWithPostgres = unless(noPostgres);
/** Like `describe`. Without PostgreSQL or an S3 server, the tests are skipped, and their names say why. */
export const describeWithBuckets = unless(noPostgres ?? noBuckets);
/** Like `describe`. Without PostgreSQL, an S3 server and a Temporal server, the tests are skipped, and their names say why. */
export const describeWithCluster = unless(noPostgres ?? noBuckets ?? noTemporal);

function unless(problem: string | undefined): (title: string, tests: () => void) => void {
  return (title, tests) => {
    if (problem === undefined) describe(title, tests);
    else describe.skip(`${title} [skipped: ${problem}]`, tests);
  };
}
