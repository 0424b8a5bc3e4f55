import { WorkflowNotFoundError, type Client, type WorkflowExecutionDescription } from '@temporalio/client';
import { BatonError } from '../client-errors';
import { diagnoseEnded } from './ended';
import { diagnoseWaiting } from './waiting';
import type { Diagnosis } from './why';

export type { Diagnosis } from './why';

/**
 * Explains why an agent failed, or what it is waiting for. Makes at most five requests to the server, plus one for each
 * level that it follows down, however many agents there are. Throws a `BatonError` if the agent does not exist.
 *
 * @example
 * const { verdict, type, message, remedy } = await diagnose(client, 'run/licenses-7');
 * if (verdict === 'failed') console.error(type, message, remedy ?? '');
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
    throw new BatonError('Client.NotFound', `Agent "${workflowId}" does not exist.`, 'List runs with: baton list');
  }
}
