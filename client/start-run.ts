import { WorkflowExecutionAlreadyStartedError, type Client } from '@temporalio/client';
import { runWorkflowId } from '../domain/ids';
import { parseRunInput, type RunInput } from '../domain/run/input';
import type { RunWorkflow } from '../workflows/run';
import { headline } from './format';

export interface StartedRun {
  readonly runId: string;
  readonly workflowId: string;
  /** False when a run of that id was there already: then nothing was started. */
  readonly isNew: boolean;
}

/** Starts a run, or attaches to the one that has this id already. */
export async function startRun(client: Client, taskQueue: string, unchecked: RunInput): Promise<StartedRun> {
  const input = parseRunInput(unchecked);
  const workflowId = runWorkflowId(input.runId);
  try {
    await client.workflow.start<RunWorkflow>('runWorkflow', {
      workflowId,
      taskQueue,
      args: [input],
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      workflowIdConflictPolicy: 'FAIL',
      staticSummary: headline(input.goal, 100),
      staticDetails: details(input),
      memo: {
        goal: headline(input.goal, 200),
        ...(input.workspace === undefined ? {} : { workspace: input.workspace.root }),
      },
    });
    return { runId: input.runId, workflowId, isNew: true };
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    return { runId: input.runId, workflowId, isNew: false };
  }
}

/** Shown on the workflow's page in the Web UI. */
function details({ goal, model, workspace, limits }: RunInput): string {
  return [
    goal,
    '',
    `- model: \`${model.name}\``,
    `- turns: at most ${limits.maxTurns}`,
    `- workspace: ${workspace === undefined ? 'none' : `\`${workspace.root}\``}`,
  ].join('\n');
}
