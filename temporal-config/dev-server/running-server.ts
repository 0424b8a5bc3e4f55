import { readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { devNamespace } from './health';
import { statePaths, type StatePaths } from './paths';
import { loopback } from './ports';
import { describeAllProcesses, describeProcess, type ProcessDescription, stopProcess } from './processes';

/** A running dev server. */
export interface DevServerInfo extends ServerRecord {
  readonly namespace: typeof devNamespace;
}

/**
 * Returns the running dev server of a state folder; undefined when there is none. Starts nothing, and does not contact
 * the server.
 */
export async function findRunningDevServer(stateDir: string): Promise<DevServerInfo | undefined> {
  const resolved = await realpath(stateDir).catch(() => undefined);
  return resolved === undefined ? undefined : findRunning(statePaths(resolved));
}

/** Finds the running dev server by its record or, without one, in the process table. */
export async function findRunning(paths: StatePaths): Promise<DevServerInfo | undefined> {
  const record = (await recordedServer(paths)) ?? (await unrecordedServer(paths));
  return record && { ...record, namespace: devNamespace };
}

/** Whether a process is the server of this database. Its command line proves it; a pid alone would not. */
export function isServerOf(paths: StatePaths, candidate: ProcessDescription | undefined): boolean {
  return candidate?.command.includes(` start-dev --db-filename ${paths.database} `) ?? false;
}

async function recordedServer(paths: StatePaths): Promise<ServerRecord | undefined> {
  const record = await readRecord(paths.record);
  return record && isServerOf(paths, await describeProcess(record.pid)) ? record : undefined;
}

/**
 * Finds a server whose record was lost or never written because the process that started it was killed. It must be
 * found, because a second server on the same database would conflict with it.
 */
async function unrecordedServer(paths: StatePaths): Promise<ServerRecord | undefined> {
  const found = (await describeAllProcesses()).find((candidate) => isServerOf(paths, candidate));
  const port = /--port (\d+)/.exec(found?.command ?? '')?.[1];
  const uiPort = /--ui-port (\d+)/.exec(found?.command ?? '')?.[1];
  if (!found || port === undefined || uiPort === undefined) return undefined;
  return {
    pid: found.pid,
    address: `${loopback}:${port}`,
    uiUrl: `http://${loopback}:${uiPort}`,
    binary: found.command.slice(0, found.command.indexOf(' server start-dev')),
    version: 'unknown',
    startedAt: 'unknown',
  };
}

const recordSchema = z.object({
  pid: z.int().positive(),
  address: z.string().min(1),
  uiUrl: z.string().min(1),
  binary: z.string(),
  version: z.string(),
  startedAt: z.string(),
});

/**
 * The content of `server.json`, which describes the server of a state folder. It may be outdated, so it is checked
 * against the process table.
 */
export type ServerRecord = Readonly<z.infer<typeof recordSchema>>;

/** Reads a server record; undefined when it is missing or damaged. */
export async function readRecord(file: string): Promise<ServerRecord | undefined> {
  try {
    return recordSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    // Whether it is missing, incomplete or edited by hand makes no difference: the process table is authoritative.
    return undefined;
  }
}

/** Writes a server record in one step. */
export async function writeRecord(file: string, record: ServerRecord): Promise<void> {
  const unfinished = `${file}.${process.pid}`;
  await writeFile(unfinished, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
  await rename(unfinished, file);
}

/** Removes a server record if it exists. */
export async function removeRecord(file: string): Promise<void> {
  await rm(file, { force: true });
}

/**
 * Ends the server of a database, and returns when no process uses that database any more. There may be several: a
 * wrapper script exits at once, while the server that it started needs another second.
 */
export async function stopServer(paths: StatePaths): Promise<void> {
  for (let running = await findRunning(paths); running; running = await findRunning(paths)) {
    await stopProcess(running.pid);
  }
}
