import type { WorkflowHandleWithFirstExecutionRunId } from '@temporalio/client';
import { randomUUID } from 'node:crypto';
import { type RunInput, runWorkflowContract } from '../../domain/agent';
import { runWorkflowId } from '../../domain/kernel';
import type { RunWorkflow } from '../../workflows/agent/run-workflow';
import type { Stand } from './stand';
import { batonQueue } from './workers';

/** Returns a new unique run id. */
export function newRunId(): string {
  return `bench-${randomUUID().slice(0, 8)}`;
}

/** Starts a run and waits for its result. */
export async function playRun(
  { client }: Stand,
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
