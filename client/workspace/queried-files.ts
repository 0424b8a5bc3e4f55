import type { Client } from '@temporalio/client';
import { runWorkflowId } from '../../domain/kernel/ids';
import type { AgentFiles } from '../../domain/agent/result';
import { filesQuery } from '../../workflows/messages';
import { CliError, exitCodes } from '../../cli/context';
import { describeRun } from '../agent/run-view';
import type { RunFiles } from './run-files';

const patienceMs = 10_000;

/** Queries the run itself. Any worker can answer, even after the run has ended. */
export const queriedFiles: RunFiles = {
  async workspaceOf(client, runId) {
    const { memo } = await describeRun(client, runId);
    const { workspace } = await queryFiles(client, runId);
    if (workspace === null) throw new CliError(exitCodes.failed, `Run ${runId} has no workspace.`);
    const folder = memo?.['workspace'];
    return { runId, ...workspace, ...(typeof folder === 'string' ? { folder } : {}) };
  },
  async artifactsOf(client, runId) {
    await describeRun(client, runId);
    return (await queryFiles(client, runId)).artifacts;
  },
};

async function queryFiles(client: Client, runId: string): Promise<AgentFiles> {
  const handle = client.workflow.getHandle(runWorkflowId(runId));
  try {
    return await client.withDeadline(Date.now() + patienceMs, () => handle.query(filesQuery));
  } catch {
    throw new CliError(exitCodes.unavailable, `No worker answered for run ${runId}.`, 'Start one with: baton worker');
  }
}
