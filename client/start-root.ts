import { WorkflowExecutionAlreadyStartedError, type Client } from '@temporalio/client';
import { runWorkflowId } from '../domain/ids';
import type { RunInput } from '../domain/run/input';
import { headline } from './format';

export interface StartedRun {
  readonly runId: string;
  readonly workflowId: string;
  /** False when a run of that id was there already: then nothing was started. */
  readonly isNew: boolean;
}

export interface RootWords {
  readonly type: 'runWorkflow' | 'relayWorkflow';
  /** A line for lists. */
  readonly summary: string;
  /** Shown on the workflow's page in the Web UI, in Markdown. */
  readonly details: readonly string[];
  readonly memo?: Readonly<Record<string, string>>;
}

/** Starts the root of a run, or attaches to the one that has this id already. */
export async function startRoot(
  client: Client,
  taskQueue: string,
  input: RunInput,
  { type, summary, details, memo = {} }: RootWords,
): Promise<StartedRun> {
  const { runId, goal, workspace } = input;
  const workflowId = runWorkflowId(runId);
  try {
    await client.workflow.start(type, {
      workflowId,
      taskQueue,
      args: [input],
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      workflowIdConflictPolicy: 'FAIL',
      staticSummary: headline(summary, 100),
      staticDetails: [
        goal,
        '',
        ...details,
        `- workspace: ${workspace === undefined ? 'none' : `\`${workspace.root}\``}`,
      ].join('\n'),
      memo: { goal: headline(goal, 200), ...memo, ...(workspace === undefined ? {} : { workspace: workspace.root }) },
    });
    return { runId, workflowId, isNew: true };
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    return { runId, workflowId, isNew: false };
  }
}
