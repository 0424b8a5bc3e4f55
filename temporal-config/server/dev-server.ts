import { existsSync } from 'node:fs';
import { chmod, mkdir, realpath, rm } from 'node:fs/promises';
import type { Environment, Log } from './environment';
import { ServerSetupError } from './errors';
import { findServerBinary } from './find-binary';
import { devNamespace, isHealthy, pause } from './health';
import { withLock } from './locks';
import { statePaths, type StatePaths } from './paths';
import { usualPorts, type Ports } from './ports';
import { describeProcess } from './processes';
import { reasonOf } from './run-command';
import { findRunning, isServerOf, type DevServerInfo } from './running-server';
import { readRecord, removeRecord, writeRecord } from './server-record';
import { startServer } from './start-server';
import { stopServer } from './stop-server';
import { countUsers, registerUser } from './users';

export interface DevServer extends DevServerInfo {
  readonly startedByUs: boolean;
  /** Says that this process no longer needs the server; the last one to say so stops it. Safe to call twice. */
  release(): Promise<void>;
}

export interface DevServerOptions {
  readonly stateDir: string;
  readonly log?: Log;
  readonly env?: Environment;
  /** Where to listen, if free: Temporal's usual ports unless told otherwise. */
  readonly ports?: Ports;
}

const lockWaitMs = 120_000;
const attachLimitMs = 10_000;

/** The dev server of a state folder: the one that runs, or a new one on the data of the last. */
export async function ensureDevServer(options: DevServerOptions): Promise<DevServer> {
  const { env = process.env, log } = options;
  const paths = await prepareState(options.stateDir);
  const lock = { waitMs: lockWaitMs, log };
  const running = await withLock(paths.lock, lock, () => attach(paths));
  if (running) return running;
  // Not under the lock: a build takes minutes, and a build has its own.
  const binary = await findServerBinary({ env, ...(log && { log }) });
  return withLock(paths.lock, lock, async () => {
    const meanwhile = await attach(paths);
    if (meanwhile) return meanwhile;
    const record = await startServer({
      paths,
      binary,
      env,
      wantedPorts: (await lastPorts(paths)) ?? options.ports ?? usualPorts,
    });
    await writeRecord(paths.record, record);
    return useServer(paths, { ...record, namespace: devNamespace }, true);
  });
}

async function prepareState(stateDir: string): Promise<StatePaths> {
  if (process.platform === 'win32') {
    throw new ServerSetupError(
      'Baton cannot look after a dev server on Windows',
      'Use WSL, or start `temporal server start-dev` yourself and set TEMPORAL_ADDRESS=127.0.0.1:7233.',
    );
  }
  try {
    await mkdir(statePaths(stateDir).dir, { recursive: true });
    const paths = statePaths(await realpath(stateDir));
    // Private, since prompts and answers pass through the database.
    await chmod(paths.dir, 0o700);
    return paths;
  } catch (error) {
    throw new ServerSetupError(
      `The state folder ${stateDir} cannot be used: ${reasonOf(error)}`,
      'Make it writable, or choose another one with BATON_STATE_DIR.',
    );
  }
}

async function attach(paths: StatePaths): Promise<DevServer | undefined> {
  const running = await findRunning(paths);
  if (!running) return undefined;
  const deadline = Date.now() + attachLimitMs;
  while (isServerOf(paths, await describeProcess(running.pid))) {
    if (await isHealthy(running.address)) {
      await writeRecord(paths.record, running);
      return useServer(paths, running, false);
    }
    if (Date.now() > deadline) await stopServer(paths);
    await pause(100);
  }
  return undefined;
}

/** If a server died under its users, the new one takes its place at the same address, so that they can go on. */
async function lastPorts(paths: StatePaths): Promise<Ports | undefined> {
  const last = (await countUsers(paths.users)) > 0 ? await readRecord(paths.record) : undefined;
  if (!last) return undefined;
  const portOf = (address: string): number => Number(address.slice(address.lastIndexOf(':') + 1));
  return { grpc: portOf(last.address), ui: portOf(last.uiUrl) };
}

async function useServer(paths: StatePaths, info: DevServerInfo, startedByUs: boolean): Promise<DevServer> {
  const user = await registerUser(paths.users);
  let released: Promise<void> | undefined;
  return {
    ...info,
    startedByUs,
    release: () => (released ??= leave(paths, user)),
  };
}

async function leave(paths: StatePaths, user: string): Promise<void> {
  // Whoever deletes the folder of a running server wants it gone, not the folder back.
  if (!existsSync(paths.dir)) return stopServer(paths);
  return withLock(paths.lock, { waitMs: lockWaitMs }, async () => {
    await rm(user, { force: true });
    if ((await countUsers(paths.users)) > 0) return;
    await stopServer(paths);
    await removeRecord(paths.record);
  });
}
