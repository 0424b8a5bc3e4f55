import { TypedSearchAttributes, WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { proxyActivities, startChild, type ChildWorkflowOptions } from '@temporalio/workflow';
import type { AgentActivities } from '../activities/interface';
import type { DelegationResult, DelegationStart, SnapshotTransfer } from '../domain/dispatch/delegation';
import type { ReadyDelegation } from '../domain/dispatch/prepared';
import { awaitingDelegation } from '../temporal-config/activity-options';
import { searchAttributes } from '../temporal-config/search-attributes';
import { agentId, withTuning, type Agent } from './agent';

type DelegationWorkflow = (start: DelegationStart) => Promise<DelegationResult>;

/**
 * Starts a delegation, or attaches to it when it is there already: after a reset of this agent, finished children are
 * reused and running ones adopted. A failed one is run again, under the same id.
 */
export async function runChild(
  agent: Agent,
  prepared: ReadyDelegation,
  snapshot: SnapshotTransfer,
): Promise<DelegationResult> {
  const workflowId = `${agentId()}/${prepared.delegationId}`;
  try {
    const child = await startChild<DelegationWorkflow>('delegationWorkflow', {
      ...optionsFor(agent, prepared, workflowId),
      args: [startOf(agent, prepared, snapshot)],
    });
    return await child.result();
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    const summary = `wait for ${prepared.delegationId}`;
    const { awaitDelegation } = proxyActivities<AgentActivities>(
      withTuning(awaitingDelegation, agent.settings, summary),
    );
    return awaitDelegation({ workflowId, parent: agentId(), opening: prepared.opened.opening.hash });
  }
}

function startOf(
  { settings, depth, progress }: Agent,
  prepared: ReadyDelegation,
  snapshot: SnapshotTransfer,
): DelegationStart {
  return {
    ...settings,
    delegationId: prepared.delegationId,
    depth: depth + 1,
    opened: prepared.opened,
    snapshot,
    workspace: progress.workspace,
    promptNs: prepared.promptNs,
    promptKey: prepared.promptKey,
    expectedArtifacts: prepared.expectedArtifacts,
  };
}

function optionsFor(
  { settings, depth, progress }: Agent,
  prepared: ReadyDelegation,
  workflowId: string,
): ChildWorkflowOptions {
  const { delegationId, promptNs, promptKey, headline, opened } = prepared;
  return {
    workflowId,
    workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY',
    // A delegating agent that is gone must not leave anyone behind who goes on spending.
    parentClosePolicy: 'TERMINATE',
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
    // An adopted child is not closed with its parent, so each has an end of its own.
    workflowExecutionTimeout: '7 days',
    staticSummary: `${promptNs}/${promptKey}: ${headline}`,
    staticDetails: [headline, '', `- delegation: \`${delegationId}\``, `- prompt: \`${opened.prompt.hash}\``].join(
      '\n',
    ),
    memo: { parent: agentId(), opening: opened.opening.hash, goal: headline },
    ...(progress.opened.searchAttributes
      ? {
          typedSearchAttributes: new TypedSearchAttributes([
            { key: searchAttributes.run, value: settings.runId },
            { key: searchAttributes.delegation, value: delegationId },
            { key: searchAttributes.prompt, value: `${promptNs}/${promptKey}` },
            { key: searchAttributes.status, value: 'running' },
            { key: searchAttributes.depth, value: depth + 1 },
          ]),
        }
      : {}),
  };
}
