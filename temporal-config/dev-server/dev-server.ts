import { existsSync } from 'node:fs';
import { chmod, realpath, rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeFolder } from '../node/make-folder';
import { type Environment, type Log, ServerSetupError } from '../node/setup-error';
import { findServerBinary } from './find-binary';
import { devNamespace, isHealthy } from './health';
import { countUsers, registerUser, withLock } from './locks';
import { statePaths, type StatePaths } from './paths';
import { defaultPorts, type Ports } from './ports';
import { describeProcess, errorReason } from './processes';
import {
  type DevServerInfo,
  findRunning,
  isServerOf,
  readRecord,
  removeRecord,
  stopServer,
  writeRecord,
} from './running-server';
import { startServer } from './start-server';

/** A running dev server that this process uses. */
export interface DevServer extends DevServerInfo {
  /** Whether this call started the server. */
  readonly startedByUs: boolean;
  /** Declares that this process no longer needs the server. The last user's release stops it. Safe to call twice. */
  release(): Promise<void>;
}

/** Options of `ensureDevServer`. */
export interface DevServerOptions {
  /** State folder that contains the server's data. */
  readonly stateDir: string;
  /** Receives progress messages. Default: none are shown. */
  readonly log?: Log;
  /** Default: the process's environment. */
  readonly env?: Environment;
  /** Preferred ports, used if they are free. Default: Temporal's own, 7233 and 8233. */
  readonly ports?: Ports;
}

const lockWaitMs = 120_000;
const attachLimitMs = 10_000;

/** Returns the dev server of a state folder. Attaches to a running one, otherwise starts one on the existing data. */
export async function ensureDevServer(options: DevServerOptions): Promise<DevServer> {
  const { env = process.env, log } = options;
  const paths = await prepareState(options.stateDir);
  const lock = { waitMs: lockWaitMs, log };
  const running = await withLock(paths.lock, lock, () => attach(paths));
  if (running) return running;
  // Not under this lock, because a build takes minutes and has its own lock.
  const binary = await findServerBinary({ env, ...(log && { log }) });
  return withLock(paths.lock, lock, async () => {
    const startedByOther = await attach(paths);
    if (startedByOther) return startedByOther;
    const record = await startServer({
      paths,
      binary,
      env,
      wantedPorts: (await lastPorts(paths)) ?? options.ports ?? defaultPorts,
    });
    await writeRecord(paths.record, record);
    return useServer(paths, { ...record, namespace: devNamespace }, true);
  });
}

async function prepareState(stateDir: string): Promise<StatePaths> {
  if (process.platform === 'win32') {
    throw new ServerSetupError(
      'Baton cannot manage a dev server on Windows',
      'Use WSL, or start `temporal server start-dev` yourself and set TEMPORAL_ADDRESS=127.0.0.1:7233.',
    );
  }
  try {
    await makeFolder(statePaths(stateDir).dir);
    const paths = statePaths(await realpath(stateDir));
    // Private, because prompts and answers are stored in the database.
    await chmod(paths.dir, 0o700);
    return paths;
  } catch (error) {
    throw new ServerSetupError(
      `The state folder ${stateDir} cannot be used: ${errorReason(error)}`,
      'Make it writable, or choose another folder with BATON_STATE_DIR.',
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
    await sleep(100);
  }
  return undefined;
}

/**
 * Returns the ports of a server that died while in use. The new server gets the same address, so its users can
 * continue.
 */
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
  // If the folder of a running server was deleted, the server is stopped and the folder is not created again.
  if (!existsSync(paths.dir)) return stopServer(paths);
  return withLock(paths.lock, { waitMs: lockWaitMs }, async () => {
    await rm(user, { force: true });
    if ((await countUsers(paths.users)) > 0) return;
    await stopServer(paths);
    await removeRecord(paths.record);
  });
}
