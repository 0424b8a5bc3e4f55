import { WorkflowExecutionAlreadyStartedError, type Client } from '@temporalio/client';
import { runWorkflowId } from '../../domain/kernel/ids';
import type { RunInput } from '../../domain/agent/contract';
import { headline } from '../format';

/** A run that was started or attached to. */
export interface StartedRun {
  readonly runId: string;
  readonly workflowId: string;
  /** False when a run with this id already existed; nothing was started then. */
  readonly isNew: boolean;
}

/** The workflow type of a root execution, and its description in the Web UI. */
export interface RootMetadata {
  readonly type: 'runWorkflow' | 'relayWorkflow';
  /** UI summary, shown in lists of workflows. */
  readonly summary: string;
  /** Markdown lines for the workflow's page in the Web UI. */
  readonly details: readonly string[];
  readonly memo?: Readonly<Record<string, string>>;
}

/** Starts the root execution of a run, or attaches to the run that already has this id. */
export async function startRoot(
  client: Client,
  taskQueue: string,
  input: RunInput,
  { type, summary, details, memo = {} }: RootMetadata,
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
