import { WorkflowNotFoundError, type Client, type WorkflowExecutionDescription } from '@temporalio/client';
import { CliError, exitCodes } from '../cli';
import { whyEnded } from './ended';
import { whyWaiting } from './waiting';
import type { Why } from './why';

export type { Why } from './why';

/**
 * Where a failure or a wait of an agent comes from. At most five calls to the server, and one for each level on the way
 * down, however many agents there are.
 */
export async function whyOf(client: Client, workflowId: string): Promise<Why> {
  const description = await described(client, workflowId);
  return description.status.name === 'RUNNING' ? whyWaiting(client, description) : whyEnded(client, workflowId);
}

async function described(client: Client, workflowId: string): Promise<WorkflowExecutionDescription> {
  try {
    return await client.workflow.getHandle(workflowId).describe();
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
    throw new CliError(exitCodes.failed, `There is no agent "${workflowId}".`, 'List the runs with: baton list');
  }
}
