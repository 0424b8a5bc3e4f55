import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Environment, ServerSetupError } from '../node/setup-error';
import type { ServerBinary } from './find-binary';
import { isHealthy } from './health';
import type { StatePaths } from './paths';
import { choosePorts, listenersOf, loopback, type Ports } from './ports';
import { type ServerRecord, stopServer } from './running-server';
import { layoutArguments, newsFeedOff, serverArguments, serverEnvironment } from './server-arguments';
import { lastMeaningfulLines, openServerLog, readServerLog } from './server-log';

const startLimitMs = 60_000;
/**
 * How long a wrapper script may take to start the server. After that, a process without sockets is accepted as a
 * wrapper.
 */
const wrapperGraceMs = 3_000;

/** Options of `startServer`. */
export interface StartOptions {
  readonly paths: StatePaths;
  readonly binary: ServerBinary;
  readonly env: Environment;
  readonly wantedPorts: Ports;
}

/**
 * Starts a server that outlives this process, and returns once it responds. The caller holds the state folder's lock.
 */
export async function startServer(options: StartOptions): Promise<ServerRecord> {
  // A server needs several ports, and another program may take one of them between the check and the use.
  for (const wanted of [options.wantedPorts, options.wantedPorts, {}]) {
    try {
      return await startOn(await choosePorts(wanted), options);
    } catch (error) {
      if (!(error instanceof PortTakenError)) throw error;
    }
  }
  return startOn(await choosePorts({}), options);
}

class PortTakenError extends ServerSetupError {}

async function startOn(ports: Ports, { paths, binary, env }: StartOptions): Promise<ServerRecord> {
  const args = [
    ...serverArguments(paths.database, ports),
    ...(await layoutArguments(paths)),
    ...(await newsFeedOff(binary.path)),
  ];
  const { handle, from } = await openServerLog(paths.log);
  const server = spawn(binary.path, args, {
    cwd: paths.dir,
    detached: true,
    env: serverEnvironment(env),
    stdio: ['ignore', handle.fd, handle.fd],
  });
  const failure = await waitUntilServing(server, ports);
  await handle.close();
  if (failure === undefined) {
    const pid = server.pid ?? 0;
    server.unref();
    const [address, uiUrl] = [`${loopback}:${ports.grpc}`, `http://${loopback}:${ports.ui}`];
    const { path, serverVersion: version } = binary;
    return { pid, address, uiUrl, binary: path, version, startedAt: new Date().toISOString() };
  }
  await stopServer(paths);
  const output = await readServerLog(paths.log, from);
  const Problem = output.includes('address already in use') ? PortTakenError : ServerSetupError;
  throw new Problem(
    `The Temporal server ${failure}.${output === '' ? '' : ` Its output:\n${lastMeaningfulLines(output)}`}`,
    `See its log, ${paths.log}. The program is ${binary.path}.`,
  );
}

/** Waits until the server responds. Returns what went wrong; undefined when the server responds. */
async function waitUntilServing(server: ChildProcess, ports: Ports): Promise<string | undefined> {
  let ended: string | undefined;
  server.once('error', (error) => {
    ended = `cannot be run: ${error.message}`;
  });
  server.once('exit', (code, signal) => {
    ended = `exited immediately (${code === null ? String(signal) : `exit code ${code}`})`;
  });
  const startedAt = Date.now();
  while (Date.now() - startedAt < startLimitMs) {
    if (ended !== undefined) return ended;
    if (await isHealthy(`${loopback}:${ports.grpc}`)) {
      const verdict = await judgeListeners(server.pid ?? 0, ports, Date.now() - startedAt);
      if (verdict === 'fine') return ended;
      if (verdict === 'exposed') return 'listens on more than the loopback interface';
    }
    await sleep(40);
  }
  return `did not respond within ${startLimitMs / 1000} s`;
}

/**
 * Checks by its sockets that the responding server is the one that was started, and not another project's that took the
 * port first.
 */
async function judgeListeners(pid: number, ports: Ports, waitedMs: number): Promise<'fine' | 'exposed' | 'not yet'> {
  const listeners = await listenersOf(pid);
  if (listeners === undefined) return 'fine';
  if (!listeners.every(({ isLoopback }) => isLoopback)) return 'exposed';
  if (listeners.some(({ port }) => port === ports.grpc)) return 'fine';
  return listeners.length === 0 && waitedMs > wrapperGraceMs ? 'fine' : 'not yet';
}
