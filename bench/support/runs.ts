import type { Client, WorkflowHandleWithFirstExecutionRunId } from '@temporalio/client';
import { randomUUID } from 'node:crypto';
import { type RunInput, runWorkflowContract } from '../../domain/agent';
import { runWorkflowId } from '../../domain/kernel';
import type { RunWorkflow } from '../../workflows/agent/run-workflow';
import type { BenchEnvironment } from './environment';
import { batonQueue } from './workers';

/** Returns a new unique run id. */
export function newRunId(): string {
  return `bench-${randomUUID().slice(0, 8)}`;
}

/** Starts a run and waits for its result. */
export async function playRun(
  { client }: BenchEnvironment,
  input: RunInput,
): Promise<WorkflowHandleWithFirstExecutionRunId<RunWorkflow>> {
  const handle = await client.workflow.start<RunWorkflow>(runWorkflowContract.name, {
    workflowId: runWorkflowId(input.runId),
    taskQueue: batonQueue,
    args: [input],
  });
  await handle.result();
  return handle;
}

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
