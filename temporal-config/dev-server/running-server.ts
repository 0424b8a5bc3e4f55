import { realpath } from 'node:fs/promises';
import { devNamespace } from './health';
import { statePaths, type StatePaths } from './paths';
import { loopback } from './ports';
import { describeAllProcesses, describeProcess, type ProcessDescription } from './processes';
import { readRecord, type ServerRecord } from './server-record';

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
