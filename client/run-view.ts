import { WorkflowNotFoundError, type Client, type WorkflowExecutionDescription } from '@temporalio/client';
import { runWorkflowId } from '../domain/ids';
import type { RunSnapshot } from '../domain/run/result';
import { snapshotQuery } from '../workflows/messages';
import { CliError, exitCodes } from './cli';

/** What the server itself knows of a run. */
export async function describeRun(client: Client, runId: string): Promise<WorkflowExecutionDescription> {
  try {
    return await client.workflow.getHandle(runWorkflowId(runId)).describe();
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
    throw new CliError(exitCodes.failed, `There is no run "${runId}".`, 'List the runs with: baton list');
  }
}

/** Where the run stands, by its own word; undefined when no worker is there to answer. */
export function snapshotOf(client: Client, runId: string, timeoutMs?: number): Promise<RunSnapshot | undefined> {
  return agentSnapshot(client, runWorkflowId(runId), timeoutMs);
}

/** The same of any agent, by its workflow id. */
export async function agentSnapshot(
  client: Client,
  workflowId: string,
  timeoutMs = 2_000,
): Promise<RunSnapshot | undefined> {
  const handle = client.workflow.getHandle(workflowId);
  try {
    return await client.withDeadline(Date.now() + timeoutMs, () => handle.query(snapshotQuery));
  } catch {
    return undefined;
  }
}
