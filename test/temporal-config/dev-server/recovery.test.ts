import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DevServer, ensureDevServer } from '../../../temporal-config/dev-server/dev-server';
import { findServerBinary } from '../../../temporal-config/dev-server/find-binary';
import { isHealthy } from '../../../temporal-config/dev-server/health';
import { describeProcess, stopProcess } from '../../../temporal-config/dev-server/processes';
import { findRunningDevServer } from '../../../temporal-config/dev-server/running-server';
import { until } from '../../support/until';
import { failureOf } from '../support/failure';
import { compileForNode, startOtherProcess } from '../support/other-process';
import { scratchFolder, writeProgram } from '../support/scratch';
import { findFreePort } from '../support/taken-port';

beforeAll(async () => {
  await findServerBinary();
}, 20 * 60_000);

const recordOf = (stateDir: string): string => join(stateDir, 'temporal', 'server.json');
/** A server on a busy machine may fail a single health check. */
const isServing = (address: string): Promise<true> => until(async () => (await isHealthy(address)) || undefined);
const usersOf = (stateDir: string): string[] => readdirSync(join(stateDir, 'temporal', 'users'));

/** Creates the files of a killed process: everything is there, but no process runs. */
function leaveRuins(stateDir: string, pid: number): void {
  const folder = join(stateDir, 'temporal');
  const lock = join(folder, 'server.lock');
  const longAgo = new Date(Date.now() - 3_600_000);
  mkdirSync(lock, { recursive: true });
  utimesSync(lock, longAgo, longAgo);
  mkdirSync(join(folder, 'users'));
  // Our own pid with a different start time, like a reused pid.
  writeFileSync(join(folder, 'users', `${process.pid}.00000000`), 'another time');
  const record = {
    pid,
    address: '127.0.0.1:1',
    uiUrl: 'http://127.0.0.1:2',
    binary: 'x',
    version: 'x',
    startedAt: 'x',
  };
  writeFileSync(recordOf(stateDir), JSON.stringify(record));
}

test('a stale lock, a reused pid and users that have exited do not prevent a start', async () => {
  const stateDir = scratchFolder();
  leaveRuins(stateDir, process.pid);
  expect(await findRunningDevServer(stateDir)).toBeUndefined();

  const server = await ensureDevServer({ stateDir });
  expect(server.startedByUs).toBe(true);
  await server.release();
  expect(await describeProcess(server.pid)).toBeUndefined();
  expect(usersOf(stateDir)).toEqual([]);
});

test('a server whose record is damaged is found, and no second one is started', async () => {
  const stateDir = scratchFolder();
  const first = await ensureDevServer({ stateDir });
  writeFileSync(recordOf(stateDir), '{ "pid": ');

  const second = await ensureDevServer({ stateDir });
  expect(second).toMatchObject({ pid: first.pid, address: first.address, uiUrl: first.uiUrl, startedByUs: false });
  expect(JSON.parse(readFileSync(recordOf(stateDir), 'utf8'))).toMatchObject({ pid: first.pid });
  await first.release();
  await isServing(second.address);
  await second.release();
  expect(await describeProcess(first.pid)).toBeUndefined();
});

test('a server that died while in use is restarted at the same address', async () => {
  const stateDir = scratchFolder();
  const first = await ensureDevServer({ stateDir, ports: { grpc: await findFreePort(), ui: await findFreePort() } });
  process.kill(first.pid, 'SIGKILL');
  await stopProcess(first.pid);

  const second = await ensureDevServer({ stateDir });
  expect(second).toMatchObject({ address: first.address, startedByUs: true });
  await first.release();
  await isServing(second.address);
  await second.release();
  expect(await describeProcess(second.pid)).toBeUndefined();
});

test('a user that was killed no longer counts when the next one releases the server', async () => {
  const stateDir = scratchFolder();
  const crashing = startOtherProcess(compileForNode(), { stateDir });
  const { pid } = await crashing.server;
  await crashing.crash();
  expect(usersOf(stateDir)).toHaveLength(1);

  const ours: DevServer = await ensureDevServer({ stateDir });
  expect(ours).toMatchObject({ pid, startedByUs: false });
  await ours.release();
  expect(await describeProcess(pid)).toBeUndefined();
});

test('a port taken by another program leads to a retry, and a server behind a wrapper script is stopped with it', async () => {
  const { path: real } = await findServerBinary();
  const folder = scratchFolder();
  const wrapper = writeProgram(
    join(folder, 'temporal'),
    `if [ "$1" = server ] && mkdir ${folder}/first; then`,
    '  echo "listen tcp: bind: address already in use"; echo; for i in $(seq 99); do echo "goroutine 1 [running]:"; done; exit 2',
    'fi',
    `${real} "$@"`,
    'true',
  );
  const stateDir = scratchFolder();
  const server = await ensureDevServer({ stateDir, env: { ...process.env, BATON_TEMPORAL_CLI: wrapper } });
  await isServing(server.address);

  await server.release();
  expect(await isHealthy(server.address)).toBe(false);
  expect(await findRunningDevServer(stateDir)).toBeUndefined();
});

test('a server that exits immediately is reported with the reason', async () => {
  const program = writeProgram(
    join(scratchFolder(), 'temporal'),
    'if [ "$1" = --version ]; then echo "temporal version 9 (Server 1.31.2, UI 2)"; exit; fi',
    'echo "panic: the database is from the future" >&2; echo; echo "goroutine 1 [running]:"; echo main.main; exit 7',
  );
  const env = { ...process.env, BATON_TEMPORAL_CLI: program };
  const failure = await failureOf(ensureDevServer({ stateDir: scratchFolder(), env }));
  expect(failure.message).toMatch(/exit code 7[^]*the database is from the future$/);
  expect(failure.remedy).toContain('server.log');
});

test('a server whose state folder was deleted is stopped when its last user releases it', async () => {
  const stateDir = scratchFolder();
  const server = await ensureDevServer({ stateDir });
  rmSync(stateDir, { recursive: true });
  await server.release();
  expect(await describeProcess(server.pid)).toBeUndefined();
  expect(existsSync(stateDir)).toBe(false);
});

test('a state folder that cannot be created is named in the error', async () => {
  const file = join(scratchFolder(), 'file');
  writeFileSync(file, '');
  const failure = await failureOf(ensureDevServer({ stateDir: join(file, 'state') }));
  expect(failure.message).toContain(file);
  expect(failure.remedy).toContain('BATON_STATE_DIR');
});
