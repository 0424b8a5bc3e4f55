import { WorkflowNotFoundError, type Client, type WorkflowExecutionDescription } from '@temporalio/client';
import { CliError, exitCodes } from '../../cli/context';
import { diagnoseEnded } from './ended';
import { diagnoseWaiting } from './waiting';
import type { Diagnosis } from './why';

export type { Diagnosis } from './why';

/**
 * Explains why an agent failed, or what it is waiting for. Makes at most five requests to the server, plus one for each
 * level that it follows down, however many agents there are. Throws a `CliError` if the agent does not exist.
 */
export async function diagnose(client: Client, workflowId: string): Promise<Diagnosis> {
  const description = await described(client, workflowId);
  return description.status.name === 'RUNNING'
    ? diagnoseWaiting(client, description)
    : diagnoseEnded(client, workflowId);
}

async function described(client: Client, workflowId: string): Promise<WorkflowExecutionDescription> {
  try {
    return await client.workflow.getHandle(workflowId).describe();
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
    throw new CliError(exitCodes.failed, `Agent "${workflowId}" does not exist.`, 'List runs with: baton list');
  }
}
