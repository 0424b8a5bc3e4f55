import { Client } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { hang, say } from '../../../testing/scripted-model';
import { TestWorker } from '../../../testing/test-worker';
import { Harness, testAddress } from '../../support/harness';
import { workflowBundle } from '../../support/paths';

test('a deadline is kept although nobody can tell whether an operator moved it', async () => {
  const harness = await Harness.start(() => say('no script'), { withWorker: false });
  const connection = await NativeConnection.connect({ address: testAddress() });
  let lookups = 0;
  const describe = (): Promise<never> => {
    lookups += 1;
    return Promise.reject(new Error('not allowed'));
  };
  const { store, taskQueue, model } = harness;
  const client = new Client({ connection: harness.client.connection, interceptors: { workflow: [{ describe }] } });
  const options = { client, connection, namespace: 'default', store, taskQueue };
  const worker = new TestWorker({ ...options, workflowBundlePath: workflowBundle.codePath }, model);
  await worker.start();
  try {
    model.setScript(() => hang());
    const deadline = new Date(Date.now() + 5_000).toISOString();
    const run = await harness.startRun({ deadline, tuning: { retryIntervalMs: 20 } });
    const failed = await run.result().catch((error: unknown) => error);
    expect(failed).toMatchObject({ cause: { type: 'Budget.Exceeded' } });
    expect(lookups).toBeGreaterThan(1);
  } finally {
    await worker.stop();
    await harness.close();
    await connection.close();
  }
});
