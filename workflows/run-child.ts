import { TypedSearchAttributes, WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  CancellationScope,
  getExternalWorkflowHandle,
  proxyActivities,
  startChild,
  type ChildWorkflowOptions,
} from '@temporalio/workflow';
import type { AgentActivities } from '../activities/interface';
import type { AgentSettings } from '../domain/agent/settings';
import { nothingSpent, type Allowance } from '../domain/budget/allowance';
import type { DelegationResult, DelegationStart, SnapshotTransfer } from '../domain/dispatch/delegation';
import type { ChildSettings } from '../domain/dispatch/prepared';
import type { OpenedAgent } from '../domain/run/progress';
import { awaitingDelegation } from '../temporal-config/activity-options';
import { searchAttributes } from '../temporal-config/search-attributes';
import { agentId, withTuning, type Agent } from './agent';
import { reserveFor, settleFor } from './budget';
import { secondsFromNow } from './clock';
import { spentBefore, wasClosed } from './failures';
import { orAskOperator, Skipped } from './hold';

type DelegationWorkflow = (start: DelegationStart) => Promise<DelegationResult>;

/** A delegation whose prompt stands in the store, by whichever tool it was asked for. */
export interface ChildToRun {
  readonly delegationId: string;
  readonly opened: OpenedAgent;
  readonly promptNs: string;
  readonly promptKey: string;
  readonly expectedArtifacts: readonly string[];
  /** For lists and pages of the Web UI. */
  readonly headline: string;
  /** Host of the session it works on; null: it gets a copy of its own. */
  readonly sharedSession: string | null;
  readonly settings?: ChildSettings | undefined;
  readonly returnsFiles?: boolean;
}

/**
 * Runs a delegation within its share of the budget. One that was closed from outside can be run again by an operator's
 * word; any other failure it has put to an operator itself, if that is the policy.
 */
export function runChild(
  agent: Agent,
  child: ChildToRun,
  snapshot: SnapshotTransfer,
  notStarted = 1,
): Promise<DelegationResult> {
  const name = `delegation ${child.delegationId}`;
  const step = { name, delegation: child.delegationId, type: 'Delegation.Closed', when: wasClosed } as const;
  const run = orAskOperator(agent, step, async () => {
    if (agent.desk.state.paused) await agent.desk.resumed();
    const budget = reserveFor(agent, child, notStarted);
    try {
      const result = await startOrAttach(agent, child, startOf(agent, child, snapshot, budget));
      settleFor(agent, child.delegationId, result.spent);
      return result;
    } catch (error) {
      settleFor(agent, child.delegationId, spentBefore(error));
      throw error;
    } finally {
      // What delegations have spent stands on this agent's page.
      agent.desk.onChange();
    }
  });
  return run.catch((error: unknown) => {
    if (error instanceof Skipped) return placeholderFor(child, error.placeholder);
    throw error;
  });
}

/** What it left is unknown, and what it spent has been settled. */
function placeholderFor({ expectedArtifacts }: ChildToRun, placeholder: string): DelegationResult {
  return {
    summary: { text: placeholder },
    artifacts: [],
    changedFiles: [],
    toolsUsed: [],
    missingArtifacts: expectedArtifacts,
    spent: nothingSpent,
    skipped: true,
  };
}

/**
 * Starts a delegation, or attaches to it when it is there already: after a reset of this agent, finished children are
 * reused and running ones adopted. A failed one is run again, under the same id.
 */
async function startOrAttach(agent: Agent, child: ChildToRun, start: DelegationStart): Promise<DelegationResult> {
  const workflowId = `${agentId()}/${child.delegationId}`;
  try {
    const handle = await startChild<DelegationWorkflow>('delegationWorkflow', {
      ...optionsFor(agent, child, workflowId),
      args: [start],
    });
    agent.desk.childStarted(workflowId, start.paused === true);
    return await handle.result();
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    agent.desk.childStarted(workflowId, false);
    return await adopt(agent, child, workflowId);
  } finally {
    agent.desk.childEnded(workflowId, child.delegationId);
  }
}

/** An adopted child is not ours to the server: what a cancellation of this agent means for it, we have to say ourselves. */
async function adopt(agent: Agent, child: ChildToRun, workflowId: string): Promise<DelegationResult> {
  const options = withTuning(awaitingDelegation, agent.settings, `wait for ${child.delegationId}`);
  const { awaitDelegation } = proxyActivities<AgentActivities>(options);
  try {
    return await awaitDelegation({ workflowId, parent: agentId(), identity: child.opened.opening.hash });
  } catch (error) {
    if (CancellationScope.current().consideredCancelled) {
      // The activity passes it on as well, unless it was waiting for a worker at that moment. Twice does no harm.
      await CancellationScope.nonCancellable(() => getExternalWorkflowHandle(workflowId).cancel()).catch(
        () => undefined,
      );
    }
    throw error;
  }
}

function startOf(
  agent: Agent,
  child: ChildToRun,
  snapshot: SnapshotTransfer,
  budget: Allowance | undefined,
): DelegationStart {
  return {
    ...childSettings(agent.settings, child.settings, budget),
    delegationId: child.delegationId,
    depth: agent.depth + 1,
    opened: child.opened,
    snapshot,
    workspace: agent.progress.workspace,
    sharedSession: child.sharedSession,
    promptNs: child.promptNs,
    promptKey: child.promptKey,
    expectedArtifacts: child.expectedArtifacts,
    ...(child.returnsFiles === true ? { returnsFiles: true } : {}),
    ...(agent.desk.state.paused ? { paused: true } : {}),
  };
}

/** Those of the delegating agent, with what the delegation has of its own, and never later than its deadline. */
function childSettings(
  { budget: _all, ...settings }: AgentSettings,
  { budgetTokens: _cap, deadlineSeconds, ...own }: ChildSettings = {},
  budget: Allowance | undefined,
): AgentSettings {
  const wanted = deadlineSeconds === undefined ? undefined : secondsFromNow(deadlineSeconds);
  const deadline = [settings.deadline, wanted].filter((time) => time !== undefined).sort()[0];
  return {
    ...settings,
    ...own,
    ...(budget === undefined ? {} : { budget }),
    ...(deadline === undefined ? {} : { deadline }),
  };
}

function optionsFor({ settings, depth, progress }: Agent, child: ChildToRun, workflowId: string): ChildWorkflowOptions {
  const { delegationId, promptNs, promptKey, headline, opened } = child;
  const skill = opened.skill === undefined ? [] : [{ key: searchAttributes.skill, value: opened.skill }];
  return {
    workflowId,
    workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY',
    // A delegating agent that is gone must not leave anyone behind who goes on spending.
    parentClosePolicy: 'TERMINATE',
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
    // An adopted child is not closed with its parent, so each has an end of its own.
    workflowExecutionTimeout: '7 days',
    staticSummary: child.sharedSession === null ? `${promptNs}/${promptKey}: ${headline}` : headline,
    staticDetails: details(child),
    memo: { identity: opened.opening.hash },
    ...(progress.opened.searchAttributes
      ? {
          typedSearchAttributes: new TypedSearchAttributes([
            { key: searchAttributes.run, value: settings.runId },
            { key: searchAttributes.delegation, value: delegationId },
            { key: searchAttributes.depth, value: depth + 1 },
            ...skill,
          ]),
        }
      : {}),
  };
}

/** Shown on the workflow's page in the Web UI. Short, since it stands in the parent's history. */
function details({ headline, delegationId, opened }: ChildToRun): string {
  return [headline, '', `- delegation: \`${delegationId}\``, `- prompt: \`${opened.prompt.hash}\``].join('\n');
}
