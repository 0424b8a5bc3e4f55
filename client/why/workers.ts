import type { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { millisecondsOf } from './one-page';

/** Workers poll at least this often. The server still lists a worker for some minutes after it has stopped. */
const silenceMs = 75_000;

/** Counts the workers that polled a task queue recently. */
export async function workersOn(client: Client, taskQueue: string): Promise<number> {
  const { pollers } = await client.workflowService.describeTaskQueue({
    namespace: client.options.namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: temporal.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW,
  });
  return pollers.filter(({ lastAccessTime }) => Date.now() - millisecondsOf(lastAccessTime) < silenceMs).length;
}
