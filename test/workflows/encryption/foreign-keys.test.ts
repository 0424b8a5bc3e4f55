import { WorkflowUpdateFailedError } from '@temporalio/client';
import { randomBytes } from 'node:crypto';
import { KeyRing } from '../../../encryption/key-ring';
import { connectClient, type ConnectedClient } from '../../../temporal-config/node/connect-client';
import { connectWorker } from '../../../temporal-config/node/connect-worker';
import { findFailingTask } from '../../../temporal-config/node/failing-tasks';
import { createGate, type Gate, say } from '../../../testing/scripted-model';
import { TestWorker } from '../../../testing/test-worker';
import { setPausedSignal, snapshotQuery, steerUpdate } from '../../../workflows/messages';
import { Harness, testAddress } from '../../support/harness';
import { workflowBundle } from '../../support/paths';
import { failedTasks } from '../../support/raw-requests';
import { historiesOf, replayAll } from '../../support/replay';
import { until } from '../../support/until';

const key = { id: '2026-05', bytes: randomBytes(32) };
const other = { id: 'of-another-team', bytes: randomBytes(32) };
const target = {
  kind: 'configured',
  connectionOptions: { address: '' },
  namespace: 'default',
  describe: 'the test server',
} as const;

describe('a message that is encrypted with a key which the worker does not have', () => {
  let harness: Harness;
  let gate: Gate;
  /** Encrypts with the other key, and reads both. */
  let stranger: ConnectedClient;
  const opened: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    harness = await Harness.start(
      async () => {
        await gate.opened;
        return say('Done.');
      },
      // The histories are replayed here, with more keys than the harness has.
      { encryption: [key], replayed: false },
    );
    stranger = await connectClient(
      { ...target, connectionOptions: { address: testAddress() } },
      { encryption: new KeyRing([other, key]) },
    );
    opened.push(() => stranger.close());
  });
  beforeEach(() => {
    gate = createGate();
  });
  afterAll(async () => {
    for (const close of opened.reverse()) await close();
    await harness.close();
  });

  test('is refused or ignored, and the run goes on, also on a worker that has the key', async () => {
    const run = await harness.startRun();
    const handle = stranger.client.workflow.getHandle(run.workflowId);
    await harness.model.waitForCall(0);
    const refused: unknown = await handle
      .executeUpdate(steerUpdate, { args: [{ text: 'Look elsewhere.' }] })
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(WorkflowUpdateFailedError);
    expect((refused as WorkflowUpdateFailedError).cause).toMatchObject({
      type: 'Encryption.KeyMissing',
      message: expect.stringMatching(/"of-another-team".*Add it to BATON_ENCRYPTION_KEYS of all workers/) as string,
    });
    await handle.signal(setPausedSignal, { paused: true });
    expect(await run.query(snapshotQuery)).toMatchObject({ status: 'thinking' });
    gate.open();
    await expect(run.result()).resolves.toMatchObject({ answer: { text: 'Done.' } });
    expect(await failedTasks(harness.client, run.workflowId)).toEqual([]);
    const histories = await historiesOf(harness.client, run.workflowId);
    await replayAll(histories, harness.client);
    await replayAll(histories, stranger.client);
  });

  test('makes the run wait for the key if a worker that had it has accepted the message', async () => {
    await harness.stopWorker();
    const connection = await connectWorker({ ...target, connectionOptions: { address: testAddress() } });
    opened.push(() => connection.close());
    const { store, taskQueue, model } = harness;
    const knowing = new TestWorker(
      {
        client: stranger.client,
        connection,
        namespace: 'default',
        store,
        taskQueue,
        workflowBundlePath: workflowBundle.codePath,
      },
      model,
    );
    opened.push(() => knowing.stop());
    await knowing.start();
    // What the run itself writes has the key that both know, so that only the messages differ.
    const run = await harness.startRun();
    const handle = stranger.client.workflow.getHandle(run.workflowId);
    await handle.signal(setPausedSignal, { paused: true });
    await until(async () => (await handle.query(snapshotQuery)).status === 'paused' || undefined);
    await knowing.stop();
    await harness.startWorker();
    await handle.signal(setPausedSignal, { paused: false });
    const task = await until(async () => findFailingTask(stranger.client, await handle.describe()));
    expect(task.message).toContain('is encrypted with the key "of-another-team"');
    expect(task.remedy).toContain('Start a worker that has this key in BATON_ENCRYPTION_KEYS');
    await harness.stopWorker();
    gate.open();
    await knowing.start();
    await expect(handle.result()).resolves.toMatchObject({ answer: { text: 'Done.' } });
    await replayAll(await historiesOf(stranger.client, run.workflowId), stranger.client);
  });
});
