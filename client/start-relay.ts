import { WorkflowExecutionAlreadyStartedError, type Client } from '@temporalio/client';
import { runWorkflowId } from '../domain/ids';
import { parseRelayInput, stepInWords, type RelayInput } from '../domain/relay';
import type { RelayWorkflow } from '../workflows/relay';
import { headline } from './format';
import type { StartedRun } from './start-run';

/** Starts a relay, or attaches to the run that has this id already. */
export async function startRelay(client: Client, taskQueue: string, unchecked: RelayInput): Promise<StartedRun> {
  const input = parseRelayInput(unchecked);
  const { runId, goal, relay, workspace } = input;
  const workflowId = runWorkflowId(runId);
  try {
    await client.workflow.start<RelayWorkflow>('relayWorkflow', {
      workflowId,
      taskQueue,
      args: [input],
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      workflowIdConflictPolicy: 'FAIL',
      staticSummary: headline(`${relay.name}: ${goal}`, 100),
      staticDetails: details(input),
      memo: {
        goal: headline(goal, 200),
        relay: relay.name,
        ...(workspace === undefined ? {} : { workspace: workspace.root }),
      },
    });
    return { runId, workflowId, isNew: true };
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    return { runId, workflowId, isNew: false };
  }
}

/** Shown on the workflow's page in the Web UI. */
function details({ goal, model, workspace, relay }: RelayInput): string {
  return [
    goal,
    '',
    `- relay: \`${relay.name}\``,
    ...relay.steps.map((step) => `  - ${stepInWords(step)}`),
    `- model: \`${model.name}\``,
    `- workspace: ${workspace === undefined ? 'none' : `\`${workspace.root}\``}`,
  ].join('\n');
}
