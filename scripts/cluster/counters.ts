import { readdir, readFile } from 'node:fs/promises';
import { Client } from 'pg';
import type { Cluster } from './cluster';
import type { Workers } from './workers';

/** What a cluster has used so far. CPU is in seconds. Differences of two of these say what happened in between. */
export interface Usage {
  readonly serverCpu: number;
  readonly databaseCpu: number;
  readonly objectsCpu: number;
  readonly workersCpu: number;
  /** Committed transactions of Temporal and of the store. */
  readonly commits: number;
  /** Bytes that PostgreSQL has written to its log, which is what a replica receives. */
  readonly logBytes: number;
  /** Bytes of all databases. */
  readonly storedBytes: number;
}

/** Reads the counters of all processes and of the database. Linux only. */
export async function readUsage(cluster: Cluster, workers: Workers): Promise<Usage> {
  const { postgres, temporal, objects } = cluster;
  const [tables, database] = [await processTable(), await databaseCounters(postgres.url('postgres'))];
  return {
    serverCpu: cpuOf(tables, temporal.service.pid),
    databaseCpu: cpuOf(tables, postgres.service.pid),
    objectsCpu: cpuOf(tables, objects.service.pid),
    workersCpu: (await workers.pids()).reduce((sum, pid) => sum + cpuOf(tables, pid), 0),
    ...database,
  };
}

/** Returns what was used between two readings. */
export function difference(after: Usage, before: Usage): Usage {
  const names = Object.keys(after) as (keyof Usage)[];
  return Object.fromEntries(names.map((name) => [name, after[name] - before[name]])) as unknown as Usage;
}

interface ProcessTimes {
  readonly pid: number;
  readonly parent: number;
  readonly seconds: number;
  readonly secondsOfDeadChildren: number;
}

/** Clock ticks per second in /proc, which every Linux machine has set to this. */
const ticksPerSecond = 100;

async function processTable(): Promise<ProcessTimes[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const texts = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')));
  return texts.flatMap((text, index) => {
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const [parent = 0, user = 0, system = 0, deadUser = 0, deadSystem = 0] = [1, 11, 12, 13, 14].map((field) =>
      Number(fields[field]),
    );
    if (text === '') return [];
    const seconds = (user + system) / ticksPerSecond;
    return [
      { pid: Number(pids[index]), parent, seconds, secondsOfDeadChildren: (deadUser + deadSystem) / ticksPerSecond },
    ];
  });
}

/** PostgreSQL has a process for each connection, so children count, also those that have ended. */
function cpuOf(table: readonly ProcessTimes[], pid: number): number {
  const own = table.find((each) => each.pid === pid);
  const children = table.filter(({ parent }) => parent === pid);
  const living = children.reduce((sum, { seconds }) => sum + seconds, 0);
  return (own?.seconds ?? 0) + (own?.secondsOfDeadChildren ?? 0) + living;
}

type DatabaseCounters = Pick<Usage, 'commits' | 'logBytes' | 'storedBytes'>;

const query = `SELECT (SELECT sum(xact_commit) FROM pg_stat_database)::float8 AS "commits",
  pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 AS "logBytes",
  (SELECT sum(pg_database_size(oid)) FROM pg_database)::float8 AS "storedBytes"`;

async function databaseCounters(url: string): Promise<DatabaseCounters> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<DatabaseCounters>(query);
    return rows[0] ?? { commits: 0, logBytes: 0, storedBytes: 0 };
  } finally {
    await client.end();
  }
}
