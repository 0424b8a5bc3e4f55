import { WorkflowNotFoundError, type Client, type WorkflowExecutionDescription } from '@temporalio/client';
import { runWorkflowId } from '../../domain/kernel/ids';
import type { StatusSnapshot } from '../../domain/agent/result';
import { snapshotQuery } from '../../workflows/messages';
import { CliError, exitCodes } from '../../cli/context';

/** Describes the root execution of a run, as the server reports it. Throws a `CliError` if the run does not exist. */
export async function describeRun(client: Client, runId: string): Promise<WorkflowExecutionDescription> {
  try {
    return await client.workflow.getHandle(runWorkflowId(runId)).describe();
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
    throw new CliError(exitCodes.failed, `Run "${runId}" does not exist.`, 'List runs with: baton list');
  }
}

/** Queries the status of a run's root agent; undefined when no worker answers within `timeoutMs` (default: 2,000). */
export function queryRunStatus(client: Client, runId: string, timeoutMs?: number): Promise<StatusSnapshot | undefined> {
  return queryAgentStatus(client, runWorkflowId(runId), timeoutMs);
}

/** Queries the status of any agent by its workflow id; undefined when no worker answers in time. */
export async function queryAgentStatus(
  client: Client,
  workflowId: string,
  timeoutMs = 2_000,
): Promise<StatusSnapshot | undefined> {
  const handle = client.workflow.getHandle(workflowId);
  try {
    return await client.withDeadline(Date.now() + timeoutMs, () => handle.query(snapshotQuery));
  } catch {
    return undefined;
  }
}
