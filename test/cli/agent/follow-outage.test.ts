import { Client, Connection } from '@temporalio/client';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { explain } from '../../../cli/explain';
import { ServerOutage } from '../../../cli/server-outage';
import { ensureDevServer } from '../../../temporal-config/dev-server/dev-server';
import { connectClient } from '../../../temporal-config/node/connect-client';
import { devServerConnection } from '../../../temporal-config/node/connection';
import { startBaton } from '../support/process';

const commands = [
  ['tree', 'r1', '--follow'],
  ['tail', 'r1', '--follow'],
  ['show', 'r1', '--follow'],
  ['session', 'r1', '--follow'],
] as const;

const cleanUp: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const step of cleanUp) await step();
});

test('tree, tail, show and session --follow survive a restart of the server, and end with the run', async () => {
  const stateDir = await mkdtemp(join(tmpdir(), 'baton-outage-'));
  let server = await ensureDevServer({ stateDir });
  cleanUp.push(
    () => server.release(),
    () => rm(stateDir, { recursive: true, force: true }),
  );
  const { address } = server;
  const ports = { grpc: Number(new URL(`grpc://${address}`).port), ui: Number(new URL(server.uiUrl).port) };
  const first = await connectClient(devServerConnection(server));
  await first.client.workflow.start('runWorkflow', { workflowId: 'run/r1', taskQueue: 'nobody', args: [{}] });
  await first.close();
  const env = { TEMPORAL_ADDRESS: address, BATON_STATE_DIR: stateDir, BATON_STORE_DIR: join(stateDir, 'store') };
  const following = commands.map((command) => startBaton(command, { cwd: stateDir, env }));
  cleanUp.unshift(...following.map((command) => () => command.kill('SIGKILL')));
  const [tree, tail, show, session] = following;
  await Promise.all([
    tree!.said('running'),
    show!.said('waiting for a worker'),
    session!.said('No worker answers. Start one with: baton worker'),
  ]);
  await server.release();
  await Promise.all(following.map((command) => command.said('The Temporal server does not answer')));

  server = await ensureDevServer({ stateDir, ports });
  expect(server.address).toBe(address);
  await Promise.all(following.map((command) => command.said('The Temporal server answers again.')));
  const second = await connectClient(devServerConnection(server));
  await second.client.workflow.getHandle('run/r1').terminate('the test is over');
  await second.close();
  const ended = await Promise.all(following.map((command) => command.ended));
  expect(ended.map(({ exitCode }) => exitCode)).toEqual([0, 0, 1, 3]);
  expect(tree!.stdout).toContain('terminated');
  expect(tail!.stdout).toContain('terminated');
  expect(show!.stderr).toContain('Run r1 failed.');
  // No worker can tell what the session was.
  expect(session!.stderr).toContain('No worker answered for r1.');
});

test('following ends with a clear error when the server does not come back', async () => {
  // Without interceptors, requests are not repeated before they fail.
  const connection = Connection.lazy({ address: '127.0.0.1:1', interceptors: [] });
  const handle = new Client({ connection }).workflow.getHandle('run/r1');
  const notices: string[] = [];
  const outage = new ServerOutage((text) => notices.push(text), new AbortController().signal, 1_500);
  const error = await outage.retrying(() => handle.describe()).catch((thrown: unknown) => thrown);
  expect(explain(error)).toMatchObject({
    exitCode: 3,
    message: expect.stringMatching(/^The Temporal server has not answered for .+ECONNREFUSED/) as unknown,
  });
  expect(notices).toEqual([expect.stringMatching(/^The Temporal server does not answer \(.+\)\. Trying again for/)]);
  await connection.close();
});
