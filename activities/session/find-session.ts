import { WorkflowFailedError, type Client } from '@temporalio/client';
import type { SnapshotPayload } from '../../domain/delegation/contract';
import { assertSameDelegation } from '../delegation/await-child';
import { whileHeartbeating } from '../heartbeat';
import type { AwaitChildInput, FoundSession } from '../interface';

/** Name of the host's Query. Must match workflows/session.ts. */
const isClosed = 'isClosed';

/**
 * Finds out the state of a shared session's host that an earlier execution of its agent started. A host that was asked
 * to close accepts no more requests, even if it has not completed yet.
 */
export async function findSession(
  { client }: { readonly client: Client },
  input: AwaitChildInput,
): Promise<FoundSession> {
  return whileHeartbeating(async () => {
    const handle = client.workflow.getHandle(input.workflowId);
    await assertSameDelegation(handle, input);
    const { status } = await handle.describe();
    if (status.name === 'RUNNING' && !(await handle.query<boolean>(isClosed))) return { is: 'open' };
    try {
      return { is: 'closed', final: (await handle.result()) as SnapshotPayload };
    } catch (error) {
      if (error instanceof WorkflowFailedError) return { is: 'lost' };
      throw error;
    }
  });
}
