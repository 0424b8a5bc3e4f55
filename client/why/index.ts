import type { Client } from '@temporalio/client';
import { describeAgent } from '../agent/outcome';
import { diagnoseEnded } from './ended';
import { diagnoseWaiting } from './waiting';
import type { Diagnosis } from './why';

export type { Diagnosis } from './why';

/**
 * Explains why an agent failed, or what it is waiting for. Makes at most seven requests to the server, plus one or two for
 * each level that it follows down, however many agents there are. Throws a `BatonError` if the agent does not exist.
 *
 * @example
 * const { verdict, type, message, remedy } = await diagnose(client, 'run/licenses-7');
 * if (verdict === 'failed') console.error(type, message, remedy ?? '');
 */
export async function diagnose(client: Client, workflowId: string): Promise<Diagnosis> {
  const description = await describeAgent(client, workflowId);
  return description.status.name === 'RUNNING'
    ? diagnoseWaiting(client, description)
    : diagnoseEnded(client, workflowId);
}
