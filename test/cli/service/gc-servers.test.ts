import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time';
import { temporal } from '@temporalio/proto';
import { randomUUID } from 'node:crypto';
import { readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { RunVerdicts } from '../../../cli/service/gc-verdict';
import type { Store } from '../../../domain/store';
import { openFileStore } from '../../../store/file/open-file-store';
import { recordRunPlace } from '../../../store/run-place';
import { readServerPlace } from '../../../temporal-config/node/server-place';
import { hang, say } from '../../../testing/scripted-model';
import { startTestServer, type TestServer } from '../../../testing/test-server';
import { until } from '../../support/until';
import type { Ended } from '../support/process';
import { Stand } from '../support/stand';

describe('gc with several servers and one store', () => {
  let stand: Stand;
  let second: TestServer;
  let store: Store;
  const ids = { running: '', ended: '' };

  beforeAll(async () => {
    [second, stand] = await Promise.all([
      startTestServer(),
      Stand.start(({ systemText }) =>
        systemText.includes('Never end') ? hang({ afterEvents: 3, answer: say('For ever') }) : say('Done.'),
      ),
    ]);
    Object.assign(ids, { running: stand.newId(), ended: stand.newId() });
    await stand.baton('run', 'Never end', '--id', ids.running);
    await Promise.all([stand.baton('run', 'One', '--id', ids.ended, '--follow'), stand.model.waitForCall(0)]);
    store = await openFileStore(join(stand.folder, 'store'));
  });
  afterAll(async () => {
    await stand.stopRun(ids.running);
    await stand.close();
    await second.close();
  });

  const onSecond = (...args: string[]): Promise<Ended> =>
    stand.batonWith({ TEMPORAL_ADDRESS: second.address }, ...args);
  const stored = async (): Promise<string[]> => (await store.listRuns()).map(({ runId }) => runId);

  const expectRefused = async (refused: Promise<Ended>, reason: RegExp): Promise<void> => {
    const { exitCode, stdout, stderr } = await refused;
    expect(stderr).toMatch(/^Nothing was deleted: this server can't tell whether/);
    expect(stderr).toMatch(reason);
    expect(stderr).toContain('--unverified');
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
  };

  test('another server refuses to judge a run, whether it is running or has ended', async () => {
    const elsewhere =
      /it was started in namespace "default" \(.+\) of cluster .+, and this is namespace "default" \(.+\)/;
    await expectRefused(onSecond('gc', ids.running, '--yes'), elsewhere);
    await expectRefused(onSecond('gc', ids.running, ids.ended, '--older-than', '0m', '--yes'), elsewhere);
    expect(await stored()).toEqual(expect.arrayContaining([ids.running, ids.ended]));
  });

  test('another namespace of the same server refuses as well', async () => {
    const namespace = `gc-${randomUUID()}`;
    await stand.client.workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: msToTs('1 day'),
    });
    // A new namespace becomes known to all parts of the server after some seconds.
    await until(() =>
      stand.client.workflowService.listWorkflowExecutions({ namespace, query: '' }).then(
        () => true,
        () => undefined,
      ),
    );
    const inNamespace = stand.batonWith({ TEMPORAL_NAMESPACE: namespace }, 'gc', ids.ended, '--yes');
    await expectRefused(inNamespace, new RegExp(`this is namespace "${namespace}"`));
    expect(await stored()).toContain(ids.ended);
  });

  test('a run with the id of one on another server is rejected before it writes, and both can be judged', async () => {
    await stand.startWorker({ TEMPORAL_ADDRESS: second.address });
    const { exitCode, stderr } = await onSecond('run', 'One', '--id', ids.ended, '--follow');
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/Input\.Invalid: runId: the store already has data of a run "t-/);
    const there = stand.newId();
    await onSecond('run', 'One', '--id', there, '--follow');
    const { stderr: told } = await onSecond('gc', ids.ended, ids.running, there, '--yes');
    expect(told).toContain(`Kept ${ids.ended}: it was started in`);
    expect(told).toContain(`Kept ${ids.running}: it was started in`);
    expect(told).toMatch(/^Deleted 1 run,/m);
    expect(await stored()).toEqual(expect.arrayContaining([ids.running, ids.ended]));
    expect(await stored()).not.toContain(there);
  });

  test('a run whose server is not recorded is deleted only with --unverified', async () => {
    await store.forRun('unrecorded').putIfAbsent('key', new Uint8Array(1));
    await expectRefused(stand.baton('gc', 'unrecorded', '--yes'), /not recorded which server it was started on/);
    const { stderr } = await stand.baton('gc', 'unrecorded', ids.running, '--unverified', '--yes');
    expect(stderr).toContain(`Kept ${ids.running}: run/${ids.running} is still running`);
    expect(await stored()).not.toContain('unrecorded');
    expect(await stored()).toContain(ids.running);
  });

  test('a run that its server no longer knows has ended once the retention period has passed', async () => {
    const here = await readServerPlace(stand.client);
    expect(here?.retentionMs).toBeGreaterThan(0);
    await recordRunPlace(store.forRun('vanished'), here!);
    await expectRefused(
      stand.baton('gc', 'vanished', '--yes'),
      /the server does not know it, although it keeps runs for/,
    );
    const folder = join(stand.folder, 'store', 'runs', 'vanished');
    const longAgo = new Date(Date.now() - here!.retentionMs - 60_000);
    for (const name of await readdir(folder, { recursive: true })) await utimes(join(folder, name), longAgo, longAgo);
    expect((await stand.baton('gc', 'vanished', '--yes')).stderr).toMatch(/^Deleted 1 run,/m);
  });

  test('a child that outlives its root keeps the data of the run', async () => {
    const orphan = await stand.client.workflow.start('delegationWorkflow', {
      workflowId: `run/${ids.ended}/orphan`,
      taskQueue: `nobody-${randomUUID()}`,
      args: [{}],
    });
    const kept = await until(async () => {
      const { stderr } = await stand.baton('gc', ids.ended);
      return stderr.includes('Kept') ? stderr : undefined;
    });
    expect(kept).toContain(`Kept ${ids.ended}: run/${ids.ended}/orphan is still running`);
    await orphan.terminate();
    expect((await stand.baton('gc', ids.ended)).stderr).toMatch(/^Would delete 1 run,/m);
  });

  test('a child that the list does not show, but its closed parent does, keeps the data of the run', async () => {
    const runId = stand.newId();
    // With an id of its own, it is as invisible to the list of the run as one that is not listed yet.
    const child = `child-${randomUUID()}`;
    const root = await startWithChild(stand.client, `run/${runId}`, child);
    await root.terminate();
    const verdicts = new RunVerdicts(stand.client, store, await readServerPlace(stand.client));
    const run = { runId, bytes: 0, files: 0, lastWrittenAt: Date.now() };
    expect(await verdicts.judge(run)).toEqual({ kind: 'running', reason: `${child} is still running` });
    await stand.client.workflow.getHandle(child).terminate();
    expect(await verdicts.judge(run)).toMatchObject({ kind: 'unverified' });
  });

  test('a run that is started under the same id during the deletion keeps its data and completes', async () => {
    const verdicts = new RunVerdicts(stand.client, store, await readServerPlace(stand.client));
    const run = (await store.listRuns()).find(({ runId }) => runId === ids.ended)!;
    expect(await verdicts.judge(run)).toEqual({ kind: 'ended' });
    const [input] = await inputOf(stand.client, `run/${ids.ended}`);
    const deleted = await store.deleteRun(ids.ended, async () => {
      const again = await stand.client.workflow.start('runWorkflow', {
        workflowId: `run/${ids.ended}`,
        taskQueue: stand.env['BATON_TASK_QUEUE']!,
        args: [input],
      });
      // Its first step has tried to write, and will try again.
      await until(async () => (await again.describe()).raw.pendingActivities?.find(({ lastFailure }) => lastFailure));
      return (await verdicts.judge(run)).kind === 'ended';
    });
    expect(deleted).toBe(false);
    await stand.client.workflow.getHandle(`run/${ids.ended}`).result();
    expect((await stand.baton('audit', ids.ended)).exitCode).toBe(0);
  });

  test('no server: it refuses with exit code 3', async () => {
    const { exitCode } = await stand.batonWith({ TEMPORAL_ADDRESS: '127.0.0.1:1' }, 'gc', ids.ended, '--yes');
    expect(exitCode).toBe(3);
    expect(await stored()).toContain(ids.ended);
  });

  test('a namespace with the same name has another identity on another server', async () => {
    const connection = await Connection.connect({ address: second.address });
    const there = await readServerPlace(new Client({ connection }));
    await connection.close();
    const here = await readServerPlace(stand.client);
    expect(there?.namespace).toBe(here?.namespace);
    expect(there?.namespaceId).not.toBe(here?.namespaceId);
  });
});

/** Starts a workflow without a worker, and answers its first task itself: with a child that outlives it. */
async function startWithChild(client: Client, workflowId: string, child: string): Promise<WorkflowHandle> {
  const taskQueue = `by-hand-${randomUUID()}`;
  const handle = await client.workflow.start('runWorkflow', { workflowId, taskQueue, args: [{}] });
  const { namespace } = client.options;
  const { taskToken } = await client.withDeadline(Date.now() + 60_000, () =>
    client.workflowService.pollWorkflowTaskQueue({ namespace, taskQueue: { name: taskQueue } }),
  );
  const { COMMAND_TYPE_START_CHILD_WORKFLOW_EXECUTION: commandType } = temporal.api.enums.v1.CommandType;
  const { PARENT_CLOSE_POLICY_ABANDON: parentClosePolicy } = temporal.api.enums.v1.ParentClosePolicy;
  const startChildWorkflowExecutionCommandAttributes = {
    workflowId: child,
    workflowType: { name: 'delegationWorkflow' },
    taskQueue: { name: taskQueue },
    parentClosePolicy,
  };
  const commands = [{ commandType, startChildWorkflowExecutionCommandAttributes }];
  await client.workflowService.respondWorkflowTaskCompleted({ namespace, taskToken, commands });
  await until(() =>
    client.workflow
      .getHandle(child)
      .describe()
      .catch(() => undefined),
  );
  return handle;
}

async function inputOf(client: Client, workflowId: string): Promise<unknown[]> {
  const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
  const { payloads } = events?.[0]?.workflowExecutionStartedEventAttributes?.input ?? {};
  return (payloads ?? []).map(({ data }) => JSON.parse(Buffer.from(data ?? []).toString('utf8')) as unknown);
}
