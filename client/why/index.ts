import { WorkflowNotFoundError, type Client, type WorkflowExecutionDescription } from '@temporalio/client';
import { CliError, exitCodes } from '../../cli/context';
import { whyEnded } from './ended';
import { whyWaiting } from './waiting';
import type { Why } from './why';

export type { Why } from './why';

/**
 * Explains why an agent failed, or what it is waiting for. Makes at most five requests to the server, plus one for each
 * level that it follows down, however many agents there are. Throws a `CliError` if the agent does not exist.
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
    throw new CliError(exitCodes.failed, `Agent "${workflowId}" does not exist.`, 'List runs with: baton list');
  }
}
