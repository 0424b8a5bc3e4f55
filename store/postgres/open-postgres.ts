import { type StoredRun, StoreUnavailableError, WrongStoreError } from '../../domain/store';
import type { RunDriver, StoreDriver } from '../driver/ports';
import { WriteProbe } from '../driver/write-probe';
import { runName } from '../run-name';
import { Database, type DatabaseOptions, type Queries } from './database';
import { assertMigrated, isMigrated, migrate } from './migrate';
import { PostgresBlobs } from './postgres-blobs';
import { PostgresJournal } from './postgres-journal';
import { PostgresValues } from './postgres-values';
import { buryRun, removeBuried, runPages } from './runs';
import { RunWrites } from './writes';

/** Options of `openPostgres`. */
export interface PostgresOptions extends DatabaseOptions {
  /** Whether missing or old tables are created and changed. If not, `baton store migrate` has to do it. */
  readonly migrates: boolean;
}

/** Opens a store in a database. */
export async function openPostgres({ migrates, ...options }: PostgresOptions): Promise<PostgresDriver> {
  const database = await Database.open(options);
  try {
    // Asked first, so that a worker that may not change tables can use those that are there.
    if (migrates && !(await isMigrated(database))) await migrate(database);
    await assertMigrated(database);
    const id = await readStoreId(database, database.location);
    database.onConnect = async (queries) => {
      const found = await readStoreId(queries, database.location);
      if (found !== id) throw new WrongStoreError(id, found);
    };
    const driver = new PostgresDriver(database, id);
    return driver;
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function readStoreId(queries: Queries, location: string): Promise<string> {
  const [row] = await queries.run('SELECT id FROM @.store');
  if (row === undefined) throw new StoreUnavailableError(location, 'its table "store" is empty');
  return String(row['id']);
}

/** A store whose blobs and journal are rows of a database. */
export class PostgresDriver implements StoreDriver {
  readonly location: string;
  private readonly probe: WriteProbe;

  constructor(
    readonly database: Database,
    readonly id: string,
  ) {
    this.location = database.location;
    this.probe = new WriteProbe(async () => {
      await database.run(`UPDATE @.store SET checked_at = now() FROM set_config('synchronous_commit', 'off', true)`);
    });
  }

  forRun(runId: string): RunDriver {
    const { database } = this;
    const run = { runId, name: runName(runId) };
    const writes = new RunWrites(database, this.probe, run);
    const durability = new Durability(database);
    return {
      blobs: new PostgresBlobs(database, writes, () => {
        durability.unflushed();
      }),
      journal: new PostgresJournal(database, writes, durability),
      flush: () => durability.flush(),
      volatile: new PostgresValues(database, run.name),
    };
  }

  checkWritable(): Promise<void> {
    return this.probe.check();
  }

  async listRuns(): Promise<readonly StoredRun[]> {
    const runs: StoredRun[] = [];
    for await (const page of runPages(this.database)) runs.push(...page.map(({ row: _row, ...run }) => run));
    return runs;
  }

  async deleteRun(runId: string, confirm?: () => Promise<boolean>): Promise<boolean> {
    const gone = await buryRun(this.database, runId, confirm);
    await removeBuried(this.database);
    return gone;
  }

  close(): Promise<void> {
    return this.database.close();
  }
}

/** Makes durable what was committed without waiting for the server's disk. */
class Durability {
  private isDue = false;

  constructor(private readonly database: Database) {}

  unflushed(): void {
    this.isDue = true;
  }

  /**
   * Commits a message to nobody and waits until it is on the disk. The server writes its log in order, so everything that
   * was committed before, by anyone, is there too.
   */
  async flush(): Promise<void> {
    if (!this.isDue) return;
    this.isDue = false;
    try {
      await this.database.run(`SELECT pg_logical_emit_message(true, 'baton', '')`);
    } catch (error) {
      this.isDue = true;
      throw error;
    }
  }
}
