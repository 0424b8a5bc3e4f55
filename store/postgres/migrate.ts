import { randomUUID } from 'node:crypto';
import { StoreUnavailableError } from '../../domain/store';
import type { Database, Queries } from './database';
import { migrations as released } from './migrations';

/** Any number, the same for all processes: only one of them migrates at a time. */
const lock = 727_226_046;

/** What `migrate` did. */
export interface Migrated {
  /** Version of the tables before; 0 if there were none. */
  readonly from: number;
  readonly to: number;
}

/** Brings the tables of the store up to date. When several processes do so at once, they take turns. */
export function migrate(database: Database, migrations = released): Promise<Migrated> {
  return database.transaction(async (queries) => {
    await queries.run(`SELECT pg_advisory_xact_lock(${lock})`);
    const from = await readVersion(queries);
    assertNotNewer(database.location, from, migrations.length);
    if (from === 0) await create(queries);
    for (const [index, statements] of migrations.entries()) {
      if (index < from) continue;
      for (const statement of statements) await queries.run(statement);
      await queries.run('INSERT INTO @.migration (version) VALUES ($1)', [index + 1]);
    }
    if (from === 0) await queries.run('INSERT INTO @.store (id) VALUES ($1)', [randomUUID()]);
    return { from, to: migrations.length };
  });
}

/** Throws unless the tables have the version of this program. */
export async function assertMigrated(database: Database): Promise<void> {
  const found = await readVersion(database);
  assertNotNewer(database.location, found, released.length);
  if (found === released.length) return;
  const reason =
    found === 0 ? 'its tables are missing' : `its tables have version ${found} instead of ${released.length}`;
  throw new StoreUnavailableError(database.location, `${reason}; run \`baton store migrate\``);
}

/** Whether the tables have the version of this program. */
export async function isMigrated(database: Database): Promise<boolean> {
  return (await readVersion(database)) === released.length;
}

/** Returns the version of the tables; 0 if there are none. */
async function readVersion(queries: Queries): Promise<number> {
  // Reads the catalog itself: functions such as to_regclass may not know yet what another process has just created.
  const [found] = await queries.run(
    `SELECT 1 FROM pg_catalog.pg_tables WHERE format('"%s"', schemaname) = '@' AND tablename = 'migration'`,
  );
  if (found === undefined) return 0;
  const [row] = await queries.run('SELECT max(version) AS version FROM @.migration');
  return Number(row?.['version'] ?? 0);
}

function assertNotNewer(location: string, found: number, newest: number): void {
  if (found <= newest) return;
  throw new StoreUnavailableError(location, `its tables have version ${found}, written by a newer Baton`);
}

async function create(queries: Queries): Promise<void> {
  // Asked first: whoever may not create schemas can still use one that is there.
  const [found] = await queries.run(`SELECT 1 FROM pg_catalog.pg_namespace WHERE format('"%s"', nspname) = '@'`);
  if (found === undefined) await queries.run('CREATE SCHEMA @');
  await queries.run(
    'CREATE TABLE IF NOT EXISTS @.migration (version integer PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())',
  );
}
