import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Postgres } from '../../scripts/cluster/services/postgres';

const run = promisify(execFile);

/** Runs one of PostgreSQL's programs on a server. */
async function use({ programs, port, user, password }: Postgres, program: string, args: string[]): Promise<void> {
  const where = ['--host=127.0.0.1', `--port=${port}`, `--username=${user}`];
  await run(join(programs, program), [...where, ...args], { env: { ...process.env, PGPASSWORD: password } });
}

/** Dumps a database into a file, while it is in use. */
export function dump(postgres: Postgres, database: string, file: string): Promise<void> {
  return use(postgres, 'pg_dump', ['--format=custom', `--file=${file}`, database]);
}

/** Restores a dump as a new database of another server. */
export async function restore(postgres: Postgres, database: string, file: string): Promise<void> {
  await postgres.createDatabase(database);
  await use(postgres, 'pg_restore', [`--dbname=${database}`, '--no-owner', '--exit-on-error', file]);
}
