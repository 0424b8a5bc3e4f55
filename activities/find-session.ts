import { WorkflowFailedError, type Client } from '@temporalio/client';
import type { SnapshotTransfer } from '../domain/dispatch/delegation';
import { assertSame } from './await-child';
import { whileHeartbeating } from './heartbeat';
import type { AwaitChildInput, FoundSession } from './interface';

/** Name of the Query that a session's host answers; the same word as in workflows/session.ts. */
const isClosed = 'isClosed';

/**
 * How the host of a shared session stands that an earlier execution of its agent opened. One that was told to close takes
 * no more changes, though it may not have ended yet.
 */
export async function findSession(
  { client }: { readonly client: Client },
  input: AwaitChildInput,
): Promise<FoundSession> {
  return whileHeartbeating(async () => {
    const handle = client.workflow.getHandle(input.workflowId);
    await assertSame(handle, input);
    const { status } = await handle.describe();
    if (status.name === 'RUNNING' && !(await handle.query<boolean>(isClosed))) return { is: 'open' };
    try {
      return { is: 'closed', final: (await handle.result()) as SnapshotTransfer };
    } catch (error) {
      if (error instanceof WorkflowFailedError) return { is: 'lost' };
      throw error;
    }
  });
}
