import type * as Pg from 'pg';
import type { ClientBase, Pool, PoolConfig } from 'pg';
import { StoreUnavailableError } from '../../domain/store';
import { sha256 } from '../blobs';
import { toStoreError } from './errors';

/** A value in a statement. */
export type Value = string | number | Uint8Array | readonly string[];
/** A row of a result. */
export type Row = Readonly<Record<string, unknown>>;

/** Runs statements: a pool, or the connection of a transaction. */
export interface Queries {
  /** Runs a prepared statement, in which `@` is replaced by the schema. Returns its rows. */
  run(text: string, values?: readonly Value[]): Promise<readonly Row[]>;
}

/** How the pool is used. */
export interface DatabaseOptions {
  /** Address of the database, with user and password. */
  readonly url: string;
  /** The address for messages, without password. */
  readonly location: string;
  readonly schema: string;
  /** Maximum connections. */
  readonly pool: number;
  /** Maximum milliseconds of a statement, and for connecting. */
  readonly timeoutMs: number;
}

/** Milliseconds more that the server gets to cancel a statement by itself, before its connection is given up. */
const graceMs = 5_000;

/** A pool of connections. Errors of the server and the network are thrown as store errors. */
export class Database implements Queries {
  private readonly statements = new Map<string, { readonly name: string; readonly text: string }>();
  /** Called for every new connection, before it is used. */
  onConnect: ((queries: Queries) => Promise<void>) | undefined;

  private constructor(
    private readonly pool: Pool,
    readonly location: string,
    private readonly schema: string,
  ) {}

  static async open({ url, location, schema, pool: max, timeoutMs }: DatabaseOptions): Promise<Database> {
    const { Pool } = await loadPg(location);
    const config: PoolConfig & { onConnect: (client: ClientBase) => Promise<void> } = {
      connectionString: url,
      max,
      connectionTimeoutMillis: timeoutMs,
      statement_timeout: timeoutMs,
      query_timeout: timeoutMs + graceMs,
      keepAlive: true,
      idleTimeoutMillis: 30_000,
      // A command ends although its connections are still open.
      allowExitOnIdle: true,
      application_name: 'baton',
      onConnect: async (client) => database.onConnect?.(database.on(client)),
    };
    const pool = new Pool(config);
    // A connection that breaks while nobody uses it is replaced when it is needed.
    pool.on('error', () => undefined);
    const database: Database = new Database(pool, location, quoted(schema));
    return database;
  }

  run(text: string, values: readonly Value[] = []): Promise<readonly Row[]> {
    return this.guarded(async () => {
      const { rows } = await this.pool.query<Row>({ ...this.statement(text), values: [...values] });
      return rows;
    });
  }

  /** Runs statements on one connection, in one transaction. If they fail, nothing of them remains. */
  transaction<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    return this.guarded(async () => {
      const client = await this.pool.connect();
      let failure: Error | undefined;
      try {
        await client.query('BEGIN');
        const result = await work(this.on(client));
        await client.query('COMMIT');
        return result;
      } catch (error) {
        await client.query('ROLLBACK').catch((broken: unknown) => {
          failure = broken as Error;
        });
        throw error;
      } finally {
        client.release(failure);
      }
    });
  }

  async close(): Promise<void> {
    await this.pool.end();
  }

  private on(client: ClientBase): Queries {
    return {
      run: async (text, values = []) => {
        const { rows } = await client.query<Row>({ ...this.statement(text), values: [...values] });
        return rows;
      },
    };
  }

  /** Names a statement by its text, so that each connection prepares it once. */
  private statement(text: string): { readonly name: string; readonly text: string } {
    const known = this.statements.get(text);
    if (known !== undefined) return known;
    const complete = text.replaceAll('@', this.schema);
    const statement = { name: `baton-${sha256(complete).slice(0, 16)}`, text: complete };
    this.statements.set(text, statement);
    return statement;
  }

  private async guarded<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw toStoreError(this.location, error);
    }
  }
}

function quoted(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`;
}

/** Loads the client only here: most stores are folders. */
async function loadPg(location: string): Promise<typeof Pg> {
  try {
    const loaded = await import('pg');
    return loaded.default;
  } catch {
    throw new StoreUnavailableError(location, 'the package "pg" is missing; install it with: npm install pg');
  }
}
