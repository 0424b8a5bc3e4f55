import type { Client } from '@temporalio/client';

/** Counts the activities that a workflow and its children have completed, from their histories. */
export async function countActivities(client: Client, workflowId: string): Promise<number> {
  const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
  let count = 0;
  for (const event of events ?? []) {
    if (event.activityTaskCompletedEventAttributes) count += 1;
    const child = event.childWorkflowExecutionCompletedEventAttributes?.workflowExecution?.workflowId;
    if (child) count += await countActivities(client, child);
  }
  return count;
}
