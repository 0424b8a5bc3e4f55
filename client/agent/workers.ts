import type { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';

/** Returns how many workers have asked for workflow tasks of a task queue in the last few minutes. */
export async function countWorkers(client: Client, taskQueue: string): Promise<number> {
  const { pollers } = await client.workflowService.describeTaskQueue({
    namespace: client.options.namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: temporal.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW,
  });
  return pollers.length;
}
