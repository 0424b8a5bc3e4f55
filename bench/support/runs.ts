import type { WorkflowHandleWithFirstExecutionRunId } from '@temporalio/client';
import { randomUUID } from 'node:crypto';
import { type RunInput, runWorkflowContract } from '../../domain/agent';
import { runWorkflowId } from '../../domain/kernel';
import type { RunWorkflow } from '../../workflows/agent/run-workflow';
import type * as rawWorkflows from '../raw/workflows';
import type { BenchEnvironment } from './environment';
import { batonQueue, rawQueue } from './workers';

/** Returns a new unique run id. */
export function newRunId(): string {
  return `bench-${randomUUID().slice(0, 8)}`;
}

/** Starts a run and waits for its result. */
export async function playRun(
  { client }: Pick<BenchEnvironment, 'client'>,
  input: RunInput,
  taskQueue: string = batonQueue,
): Promise<WorkflowHandleWithFirstExecutionRunId<RunWorkflow>> {
  const handle = await client.workflow.start<RunWorkflow>(runWorkflowContract.name, {
    workflowId: runWorkflowId(input.runId),
    taskQueue,
    args: [input],
  });
  await handle.result();
  return handle;
}

/** Runs a hand-written workflow to its end, and returns its id. */
export async function playRaw(
  { client }: BenchEnvironment,
  workflow: Exclude<keyof typeof rawWorkflows, 'rawChild' | 'rawBatchChild'>,
  goal: string,
  workflowId: string = `raw-${randomUUID().slice(0, 8)}`,
): Promise<string> {
  await client.workflow.execute(workflow, { workflowId, taskQueue: rawQueue, args: [goal] });
  return workflowId;
}
