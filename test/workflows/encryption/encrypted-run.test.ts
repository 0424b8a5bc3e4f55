import { randomBytes } from 'node:crypto';
import { findFailingTask } from '../../../temporal-config/node/failing-tasks';
import { connectClient, type ConnectedClient } from '../../../temporal-config/node/connect-client';
import { connectWorker } from '../../../temporal-config/node/connect-worker';
import { createGate, fail, type Gate, say, scriptByTurn, useTool } from '../../../testing/scripted-model';
import { TestWorker } from '../../../testing/test-worker';
import { batch } from '../../support/batches';
import { byDepth } from '../../support/delegation-script';
import { Harness, type RunHandle, testAddress } from '../../support/harness';
import { workflowBundle } from '../../support/paths';
import { historiesOf } from '../../support/replay';
import { until } from '../../support/until';

const key = { id: '2026-05', bytes: randomBytes(32) };
const word = 'zanzibar';

describe('a run with encryption', () => {
  let harness: Harness;
  beforeAll(async () => {
    const root = scriptByTurn(useTool('dispatch_subagents', batch([`Find ${word}.`])), say(`Found ${word}.`));
    harness = await Harness.start(
      byDepth(root, () => fail(400, { message: `no ${word} here` })),
      { encryption: [key] },
    );
  });
  afterAll(() => harness.close());

  test('is answered, and leaves no word of it in a history, not in failures either', async () => {
    const run = await harness.startRun({ goal: `Look for ${word}.`, onFailure: 'report' });
    const { answer } = (await run.result()) as { answer: { text: string } };
    expect(answer.text).toBe(`Found ${word}.`);
    const histories = await historiesOf(harness.client, run.workflowId);
    const failed = histories.flatMap(({ history }) =>
      (history.events ?? []).flatMap(({ activityTaskFailedEventAttributes: failure }) => failure?.failure ?? []),
    );
    expect(failed.map(({ message }) => message)).toEqual(['Encoded failure']);
    for (const { history } of histories) {
      const bytes = [...buffersIn(history)].map((buffer) => buffer.toString('latin1')).join('\n');
      expect(`${JSON.stringify(history)}${bytes}`).not.toContain(word);
    }
  });
});

describe('a worker without the key', () => {
  let harness: Harness;
  let keyless: TestWorker;
  let gate: Gate;
  let plain: ConnectedClient;
  let close: () => Promise<void>;

  beforeAll(async () => {
    gate = createGate();
    harness = await Harness.start(
      async () => {
        await gate.opened;
        return say('Done.');
      },
      { encryption: [key], withWorker: false },
    );
    const target = { kind: 'configured', connectionOptions: { address: testAddress() } } as const;
    plain = await connectClient({ ...target, namespace: 'default', describe: 'the test server' });
    const connection = await connectWorker({ ...target, namespace: 'default', describe: 'the test server' });
    close = () => connection.close();
    keyless = new TestWorker(
      {
        client: plain.client,
        connection,
        namespace: 'default',
        store: harness.store,
        taskQueue: harness.taskQueue,
        workflowBundlePath: workflowBundle.codePath,
      },
      harness.model,
    );
  });
  afterAll(async () => {
    await keyless.stop();
    await plain.close();
    await close();
    await harness.close();
  });

  /** What the latest attempt at the run's only activity failed with; undefined if it has not failed. */
  const activityFailure = async (run: RunHandle): Promise<string | undefined> => {
    const [pending] = (await run.describe()).raw.pendingActivities ?? [];
    return pending?.lastFailure?.applicationFailureInfo?.type ?? undefined;
  };

  test('lets a run wait that it cannot begin, says which key is missing, and another one continues it', async () => {
    const run = await harness.startRun();
    await keyless.start();
    const task = await until(async () => findFailingTask(harness.client, await run.describe()));
    expect(task.message).toContain('is encrypted with the key "2026-05", which is not among the keys here');
    expect(task.remedy).toContain('BATON_ENCRYPTION_KEYS');
    await expect(plain.client.workflow.getHandle(run.workflowId).describe()).resolves.toBeDefined();
    await keyless.stop();

    // Then the same with a step of a run that has begun.
    await harness.startWorker();
    await until(() => harness.model.calls.length > 0 || undefined);
    await harness.stopWorker();
    await keyless.start();
    await until(async () => (await activityFailure(run)) === 'Encryption.KeyMissing' || undefined);
    await keyless.stop();
    gate.open();
    await harness.startWorker();
    await expect(run.result()).resolves.toMatchObject({ answer: { text: 'Done.' } });
  });
});

function* buffersIn(value: unknown): Generator<Buffer> {
  if (value instanceof Uint8Array) yield Buffer.from(value);
  else if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) yield* buffersIn(part);
}
