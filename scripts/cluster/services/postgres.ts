import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { freePorts, Service, startInFolder } from './service';

const run = promisify(execFile);

/** A PostgreSQL server with an empty data folder of its own, on loopback. */
export interface Postgres {
  readonly service: Service;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  /** Folder of its programs, such as `pg_dump`. */
  readonly programs: string;
  /** Connection URL of a database. Contains the password. */
  url(database: string): string;
  createDatabase(name: string): Promise<void>;
  /** Stops it and deletes its data. */
  close(): Promise<void>;
}

/** Options of `startPostgres`. */
export interface PostgresOptions {
  /** Settings in addition to the defaults of PostgreSQL, which wait for the disk at every commit. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** Returns the folder of PostgreSQL's programs; undefined if it is not installed. */
export function findPostgres(): string | undefined {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const onPath = (process.env['PATH'] ?? '').split(delimiter);
  return [...onPath, ...versions.map((version) => join(debian, version, 'bin'))].find((folder) =>
    ['initdb', 'postgres', 'pg_dump', 'pg_restore'].every((program) => existsSync(join(folder, program))),
  );
}

/** Starts a PostgreSQL server. Throws if it is not installed. */
export async function startPostgres({ settings = {} }: PostgresOptions = {}): Promise<Postgres> {
  const programs = findPostgres();
  if (programs === undefined) throw new Error('PostgreSQL is not installed (Debian: apt-get install postgresql)');
  const folder = await mkdtemp(join(tmpdir(), 'baton-postgres-'));
  const [user, password] = ['baton', randomBytes(12).toString('hex')];
  const [port = 0] = await freePorts(1);
  const account = await unprivileged(folder);
  const url = (database: string): string => `postgres://${user}:${password}@127.0.0.1:${port}/${database}`;
  await initialize({ programs, folder, user, password, account });
  const options = { listen_addresses: '127.0.0.1', unix_socket_directories: '', max_connections: '200', ...settings };
  const service = new Service({
    name: 'PostgreSQL',
    command: join(programs, 'postgres'),
    args: [
      '-D',
      data(folder),
      '-p',
      String(port),
      ...Object.entries(options).flatMap((pair) => ['-c', pair.join('=')]),
    ],
    cwd: folder,
    logFile: join(folder, 'log'),
    user: account,
    // "Fast shutdown": it does not wait until its clients are gone.
    endsOn: 'SIGINT',
    isReady: () => query(url('postgres'), 'SELECT 1').then(() => true),
  });
  const close = await startInFolder(service, folder);
  const createDatabase = (name: string): Promise<void> => query(url('postgres'), `CREATE DATABASE "${name}"`);
  return { service, port, user, password, programs, url, createDatabase, close };
}

function data(folder: string): string {
  return join(folder, 'data');
}

type Account = { readonly uid: number; readonly gid: number } | undefined;

/** PostgreSQL refuses to run as root. Then it runs as the user of its package, or as nobody. */
async function unprivileged(folder: string): Promise<Account> {
  if (process.getuid?.() !== 0) return undefined;
  const number = async (flag: string): Promise<number> =>
    Number((await run('id', [flag, 'postgres']).catch(() => run('id', [flag, 'nobody']))).stdout);
  const [uid, gid] = [await number('-u'), await number('-g')];
  await chown(folder, uid, gid);
  return { uid, gid };
}

interface Initial {
  readonly programs: string;
  readonly folder: string;
  readonly user: string;
  readonly password: string;
  readonly account: Account;
}

async function initialize({ programs, folder, user, password, account }: Initial): Promise<void> {
  const secret = join(folder, 'password');
  await writeFile(secret, password, { mode: 0o600 });
  if (account) await chown(secret, account.uid, account.gid);
  const args = ['-D', data(folder), '-U', user, '--auth=scram-sha-256', `--pwfile=${secret}`];
  await run(join(programs, 'initdb'), [...args, '--encoding=UTF8', '--no-locale'], { cwd: folder, ...account });
  await rm(secret);
}

async function query(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  // A server that goes away also tells it in an event, which would end this process if nobody listened.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
