import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import { Worker } from '@temporalio/worker';
import { workflowBundle } from './paths';

type History = temporal.api.history.v1.IHistory;

interface Execution {
  readonly workflowId: string;
  readonly history: History;
}

/** Every history that a workflow has left: its chain of executions, and those of its children. */
export async function historiesOf(client: Client, workflowId: string, firstRunId?: string): Promise<Execution[]> {
  const found: Execution[] = [];
  const seen = new Set<string>();
  const queue: { workflowId: string; runId: string | undefined }[] = [
    { workflowId, runId: firstRunId },
    { workflowId, runId: undefined },
  ];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const { runId } = await client.workflow.getHandle(next.workflowId, next.runId).describe();
    if (seen.has(runId)) continue;
    seen.add(runId);
    const history = await client.workflow.getHandle(next.workflowId, runId).fetchHistory();
    found.push({ workflowId: next.workflowId, history });
    for (const event of history.events ?? []) {
      const following = event.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId;
      if (following) queue.push({ workflowId: next.workflowId, runId: following });
      const child = event.childWorkflowExecutionStartedEventAttributes?.workflowExecution;
      if (child?.workflowId) queue.push({ workflowId: child.workflowId, runId: child.runId ?? undefined });
    }
  }
  return found;
}

/** Fails when today's workflow code would not have made the recorded decisions. */
export async function replayAll(executions: readonly Execution[]): Promise<void> {
  // The ids matter: child ids are derived from them, and replay invents one when none is given.
  for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle }, [...executions])) {
    if (error !== undefined) throw new Error(`${workflowId} does not replay: ${error.message}`, { cause: error });
  }
}
