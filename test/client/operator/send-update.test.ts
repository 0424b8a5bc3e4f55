import { type Client, ServiceError } from '@temporalio/client';
import { deliverUpdate } from '../../../client/operator/send-update';
import { grpcStatus } from '../../../temporal-config/node/connection-failure';
import { pauseUpdate } from '../../../workflows/messages';

/** The server's error for a workflow whose task it has repeated. No test can cause it at will. */
function refusedWith(code: number): ServiceError {
  const cause = Object.assign(new Error('not now'), { code, details: 'not now', metadata: {} });
  return new ServiceError('Workflow Update failed', { cause });
}

/** The only parts of a client that sending needs. Each attempt takes the next of the replies. */
function clientThat(...answers: readonly (Error | { state: string })[]): { client: Client; ids: string[] } {
  const ids: string[] = [];
  const executeUpdate = (_: unknown, { updateId }: { updateId: string }): Promise<unknown> => {
    const answer = answers[ids.push(updateId) - 1];
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  };
  const client = {
    withDeadline: (_: number, work: () => Promise<unknown>) => work(),
    workflow: { getHandle: () => ({ executeUpdate }) },
  };
  return { client: client as unknown as Client, ids };
}

describe('an Update to an agent', () => {
  test('is sent again under the same id when the server says that the workflow is not ready', async () => {
    const { client, ids } = clientThat(refusedWith(grpcStatus.failedPrecondition), { state: 'paused' });
    expect(await deliverUpdate(client, 'run/r1', pauseUpdate, undefined)).toEqual({ state: 'paused' });
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
  });

  test('is not sent again after any other failure', async () => {
    const { client, ids } = clientThat(refusedWith(grpcStatus.permissionDenied), { state: 'paused' });
    await expect(deliverUpdate(client, 'run/r1', pauseUpdate, undefined)).rejects.toThrow('Workflow Update failed');
    expect(ids).toHaveLength(1);
  });
});
