import { randomUUID } from 'node:crypto';
import { connectClient } from '../../../temporal-config/node/connect-client';
import { testAddress } from '../../support/harness';

test('closing a connection ends its open requests, and repeats none of them', async () => {
  const target = { kind: 'configured', connectionOptions: { address: testAddress() }, namespace: 'default' } as const;
  const { client, close } = await connectClient({ ...target, describe: 'the test server' });
  const workflowId = `open-${randomUUID()}`;
  const options = { workflowId, taskQueue: workflowId, workflowExecutionTimeout: '1 minute' } as const;
  const handle = await client.workflow.start('nobody', options);
  // Asks the server until the workflow ends, long after this test.
  const waiting = expect(handle.result()).rejects.toThrow();
  await handle.describe();
  await close();
  await waiting;
});
