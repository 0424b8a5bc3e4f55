import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ensureDevServer } from '../../../temporal-config/dev-server/dev-server';
import { findServerBinary } from '../../../temporal-config/dev-server/find-binary';
import { isHealthy } from '../../../temporal-config/dev-server/health';
import { listenersOf } from '../../../temporal-config/dev-server/ports';
import { describeProcess } from '../../../temporal-config/dev-server/processes';
import { findRunningDevServer } from '../../../temporal-config/dev-server/running-server';
import { connectClient } from '../../../temporal-config/node/connect-client';
import { connectWorker } from '../../../temporal-config/node/connect-worker';
import { resolveConnection } from '../../../temporal-config/node/connection';
import { until } from '../../support/until';
import { failureOf } from '../support/failure';
import { compileForNode, startOtherProcess } from '../support/other-process';
import { scratchFolder } from '../support/scratch';
import { takePort } from '../support/taken-port';

let compiled: string;

beforeAll(async () => {
  compiled = compileForNode();
  await findServerBinary();
}, 20 * 60_000); // On a new machine, the server is downloaded or built here.

test('serves on the loopback interface only, and stops when its only user leaves', async () => {
  const stateDir = scratchFolder();
  const server = await ensureDevServer({ stateDir });
  expect(server).toMatchObject({ startedByUs: true, namespace: 'default' });
  expect(server.address).toMatch(/^127\.0\.0\.1:\d+$/);
  expect((await fetch(server.uiUrl)).status).toBe(200);
  expect(statSync(join(stateDir, 'temporal')).mode & 0o077).toBe(0);

  const listeners = await listenersOf(server.pid);
  if (process.platform === 'linux') expect(listeners?.length).toBeGreaterThan(1);
  expect(listeners?.filter(({ isLoopback }) => !isLoopback) ?? []).toEqual([]);

  await Promise.all([server.release(), server.release()]);
  expect(await describeProcess(server.pid)).toBeUndefined();
  expect(await findRunningDevServer(stateDir)).toBeUndefined();
  expect(existsSync(join(stateDir, 'temporal', 'server.json'))).toBe(false);
});

test('is found by clients and workers of the same folder, and keeps its data across a restart', async () => {
  const stateDir = scratchFolder();
  const env = { HOME: scratchFolder() };
  const first = await ensureDevServer({ stateDir });
  const target = await resolveConnection({ stateDir, env });
  expect(target).toMatchObject({ kind: 'dev', connectionOptions: { address: first.address }, uiUrl: first.uiUrl });
  const before = await connectClient(target);
  await before.client.workflow.start('waits', { taskQueue: 'nobody', workflowId: 'before the restart' });
  await before.close();
  await (await connectWorker(target)).close();
  await first.release();
  expect((await failureOf(resolveConnection({ stateDir, env }))).remedy).toContain('baton dev');

  const second = await ensureDevServer({ stateDir });
  const again = await connectClient(await resolveConnection({ stateDir, env }));
  const { status } = await again.client.workflow.getHandle('before the restart').describe();
  expect(status.name).toBe('RUNNING');
  await again.close();
  await second.release();
});

test('is shared by two processes, and the last one to leave stops it', async () => {
  const stateDir = scratchFolder();
  const ours = await ensureDevServer({ stateDir });
  const other = startOtherProcess(compiled, { stateDir });
  const theirs = await other.server;
  expect(theirs).toMatchObject({ pid: ours.pid, address: ours.address, startedByUs: false });

  await ours.release();
  await until(async () => (await isHealthy(theirs.address)) || undefined);
  expect(await other.leave()).toBe(0);
  expect(await describeProcess(ours.pid)).toBeUndefined();
});

test('is started once when two processes start at once, and uses a free port when the preferred one is taken', async () => {
  const { port, holder } = await takePort();
  const options = { stateDir: scratchFolder(), ports: { grpc: port, ui: port } };
  const others = [startOtherProcess(compiled, options), startOtherProcess(compiled, options)];
  const [a, b] = await Promise.all(others.map(({ server }) => server));
  holder.close();
  expect(a?.pid).toBe(b?.pid);
  expect([a?.startedByUs, b?.startedByUs].sort()).toEqual([false, true]);
  expect([a?.address, a?.uiUrl].join()).not.toContain(`:${port}`);

  expect(await Promise.all(others.map((other) => other.leave()))).toEqual([0, 0]);
  expect(await describeProcess(a?.pid ?? 0)).toBeUndefined();
});
