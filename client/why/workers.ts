import type { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { millisecondsOf } from './one-page';

/** A worker asks for work at least this often; the server goes on listing one that is gone for some minutes. */
const silenceMs = 75_000;

/** How many workers have asked a task queue for work of late. */
export async function workersOn(client: Client, taskQueue: string): Promise<number> {
  const { pollers } = await client.workflowService.describeTaskQueue({
    namespace: client.options.namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: temporal.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW,
  });
  return pollers.filter(({ lastAccessTime }) => Date.now() - millisecondsOf(lastAccessTime) < silenceMs).length;
}
