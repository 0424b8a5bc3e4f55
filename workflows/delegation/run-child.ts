import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  CancellationScope,
  CancelledFailure,
  type ChildWorkflowHandle,
  type ChildWorkflowOptions,
  condition,
  getExternalWorkflowHandle,
  proxyActivities,
  startChild,
} from '@temporalio/workflow';
import type { AgentActivities } from '../../activities/interface';
import type { AgentSettings, OpenedAgent } from '../../domain/agent';
import { addSpending, type Allowance, nothingSpent } from '../../domain/budget';
import {
  type DelegationResult,
  type DelegationStart,
  delegationWorkflowContract,
  mustRunAgain,
  type ReusePolicy,
  reusePolicy,
  type SettingsOverrides,
  type StartPayload,
  startPayload,
} from '../../domain/delegation';
import type { ChildMemo, SnapshotPayload } from '../../domain/session';
import type { WorkspaceState } from '../../domain/workspace';
import { awaitChildOptions } from '../../temporal-config/activity-options';
import { priorityOfDepth } from '../../temporal-config/priority';
import { activityOptions, type Agent, agentWorkflowId } from '../agent/agent';
import { attributesOfChild } from '../agent/search-attributes';
import { reserveBudget, settleBudget, settleUnreportedBudget } from '../budget/spending';
import { earlierOf, secondsFromNow } from '../clock';
import { spendingFromFailure, wasClosedExternally } from '../failures';
import { applyWaitingAmendments } from '../operator/effective-settings';
import { findRetry, SkippedByOperator, withOperatorRetry } from '../operator/operator-retry';
import type { SharedSessionHandle } from '../session/shared-session';

type DelegationWorkflow = (start: StartPayload) => Promise<DelegationResult>;

/** A delegation whose prompt is stored, whichever tool requested it. */
export interface ChildToRun {
  readonly delegationId: string;
  /** Its position among the delegations of this agent, in the order in which they were requested. */
  readonly ordinal: number;
  readonly opened: OpenedAgent;
  readonly promptNs: string;
  readonly promptKey: string;
  readonly expectedArtifacts: readonly string[];
  /** One-line text for lists and pages of the Web UI. */
  readonly headline: string;
  /** The session that it shares with others; null for an isolated session. */
  readonly sharedSession: Pick<SharedSessionHandle, 'workflowId' | 'startsLate'> | null;
  /** Settings in which it differs from its parent. */
  readonly settings?: SettingsOverrides | undefined;
  /** Whether its result includes the files it changed, as in a relay. Default: false. */
  readonly returnsFiles?: boolean;
}

/** The state that a delegation starts from. */
export interface StartingPoint {
  readonly snapshot: SnapshotPayload;
  /** The files that belong to the snapshot; null when the run has no workspace. */
  readonly workspace: WorkspaceState | null;
}

/**
 * Runs a delegation within its share of the budget. If it is closed from outside, an operator can have it run again.
 * Under the policy `hold`, the delegation itself has asked an operator about any other failure.
 */
export function runChild(
  agent: Agent,
  child: ChildToRun,
  from: StartingPoint,
  notStarted = 1,
): Promise<DelegationResult> {
  const name = `delegation ${child.delegationId}`;
  const step = { name, delegation: child.delegationId, type: 'Delegation.Closed', when: wasClosedExternally } as const;
  let isFirst = true;
  let settled = nothingSpent;
  const run = withOperatorRetry(agent, step, async () => {
    const reuse = reusePolicy(isFirst);
    isFirst = false;
    if (agent.inbox.hasAmendments) await applyWaitingAmendments(agent);
    if (agent.inbox.state.paused) await condition(() => !agent.inbox.state.paused);
    const budget = reserveBudget(agent, child, notStarted);
    try {
      const result = await startOrAttach(agent, child, startOf(agent, child, from, budget), reuse);
      settleBudget(agent, child.delegationId, result.spent);
      return result;
    } catch (error) {
      const reported = spendingFromFailure(error);
      if (reported !== undefined) settleBudget(agent, child.delegationId, reported);
      const spent = reported ?? (await settleUnreportedBudget(agent, child.delegationId, settled));
      settled = addSpending(settled, spent);
      throw error;
    } finally {
      // This agent's page in the Web UI shows what its delegations have spent.
      agent.inbox.onChange();
    }
  });
  return run.catch((error: unknown) => {
    if (error instanceof SkippedByOperator) return placeholderFor(child, error);
    throw error;
  });
}

/** Result of a skipped delegation. What it wrote is unknown, and its spending has already been settled. */
function placeholderFor({ expectedArtifacts }: ChildToRun, { placeholder, by }: SkippedByOperator): DelegationResult {
  return {
    summary: { text: placeholder },
    ...(expectedArtifacts.length === 0 ? {} : { missingArtifacts: expectedArtifacts }),
    spent: nothingSpent,
    skipped: true,
    ...(by === '' ? {} : { skippedBy: by }),
  };
}

/**
 * Starts a delegation, or attaches to it if it already exists: after a reset of this agent, completed children are
 * reused and running ones adopted. A failed child is run again under the same id, unless an operator's retry took this
 * agent back: then only what the operator named is repeated, in the child's own executions.
 */
async function startOrAttach(
  agent: Agent,
  child: ChildToRun,
  start: DelegationStart,
  reuse: ReusePolicy,
): Promise<DelegationResult> {
  const workflowId = `${agentWorkflowId()}/${child.delegationId}`;
  const reported = agent.inbox.family.takeEarlyReport(child.delegationId);
  try {
    const handle = await startChild<DelegationWorkflow>(delegationWorkflowContract.name, {
      ...optionsFor(agent, child, workflowId),
      workflowIdReusePolicy: reuse,
      args: [startPayload(start)],
    });
    agent.inbox.childStarted(workflowId, start);
    return await resultOf(handle);
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    if (reuse === 'REJECT_DUPLICATE' && (await hasToRunAgain(agent, child, workflowId)))
      return await startOrAttach(agent, child, start, reusePolicy(false));
    agent.inbox.childStarted(workflowId, {}, reported);
    return await adopt(agent, child, workflowId);
  } finally {
    agent.inbox.childEnded(workflowId, child.delegationId);
    agent.semaphore.forget(child.delegationId);
  }
}

async function hasToRunAgain({ settings }: Agent, { delegationId }: ChildToRun, workflowId: string): Promise<boolean> {
  // Also if this agent is cancelled meanwhile: only then is a running child adopted, and cancelled with it.
  return mustRunAgain(delegationId, await CancellationScope.nonCancellable(() => findRetry(settings, workflowId)));
}

/**
 * Waits for a child. The server cancels it with this agent, unless a reset came in between: the child's parent is then
 * the execution that was reset. So the cancellation is also sent as it would be to any other workflow.
 */
async function resultOf(child: ChildWorkflowHandle<DelegationWorkflow>): Promise<DelegationResult> {
  let isOpen = true;
  CancellationScope.current().cancelRequested.catch(async () => {
    if (isOpen) await CancellationScope.nonCancellable(() => cancelExternally(child.workflowId));
  });
  try {
    return await child.result();
  } finally {
    isOpen = false;
  }
}

/** Cancels a workflow that need not be a child of this execution. Nothing to do if it has closed. */
function cancelExternally(workflowId: string): Promise<void> {
  return getExternalWorkflowHandle(workflowId)
    .cancel()
    .catch(() => undefined);
}

/**
 * Waits for an adopted child. The server does not cancel it with this agent, so the cancellation is forwarded here, and
 * this agent ends after it.
 */
async function adopt(agent: Agent, child: ChildToRun, workflowId: string): Promise<DelegationResult> {
  const options = activityOptions(awaitChildOptions, agent.settings, `wait for ${child.delegationId}`);
  const { awaitDelegation } = proxyActivities<AgentActivities>(options);
  const untilEnded = (): Promise<DelegationResult> =>
    awaitDelegation({ workflowId, parent: agentWorkflowId(), identity: identityOf(child.opened) });
  try {
    return await untilEnded();
  } catch (error) {
    if (!CancellationScope.current().consideredCancelled) throw error;
    await CancellationScope.nonCancellable(async () => {
      await cancelExternally(workflowId);
      await untilEnded();
    }).catch(() => undefined);
    // An attempt that was looking at that moment has failed because the child was still running.
    throw new CancelledFailure('Cancelled');
  }
}

function startOf(
  agent: Agent,
  child: ChildToRun,
  { snapshot, workspace }: StartingPoint,
  budget: Allowance | undefined,
): DelegationStart {
  const { sharedSession } = child;
  return {
    ...childSettings(agent.settings, child.settings, budget),
    delegationId: child.delegationId,
    depth: agent.depth + 1,
    opened: child.opened,
    snapshot,
    workspace,
    sharedSession: sharedSession?.workflowId ?? null,
    ...(sharedSession?.startsLate() === true ? { late: true } : {}),
    promptNs: child.promptNs,
    promptKey: child.promptKey,
    expectedArtifacts: child.expectedArtifacts,
    ...(child.returnsFiles === true ? { returnsFiles: true } : {}),
    ...(agent.inbox.state.paused ? { paused: true } : {}),
    ...(agent.inbox.state.standing === undefined ? {} : { standing: agent.inbox.state.standing }),
  };
}

/** The parent's settings with the delegation's overrides, and a deadline no later than the parent's. */
function childSettings(
  // Approval rules are part of the access that the child is opened with.
  { budget: _all, approve: _rules, ...settings }: AgentSettings,
  { budgetTokens: _cap, deadlineSeconds, ...own }: SettingsOverrides = {},
  budget: Allowance | undefined,
): AgentSettings {
  const requested = deadlineSeconds === undefined ? undefined : secondsFromNow(deadlineSeconds);
  const deadline = earlierOf(settings.deadline, requested);
  return {
    ...settings,
    ...own,
    ...(budget === undefined ? {} : { budget }),
    ...(deadline === undefined ? {} : { deadline }),
  };
}

function optionsFor(agent: Agent, child: ChildToRun, workflowId: string): ChildWorkflowOptions {
  const { promptNs, promptKey, headline, opened, ordinal } = child;
  return {
    workflowId,
    // A closed parent must not leave delegations behind that continue to spend.
    parentClosePolicy: 'TERMINATE',
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
    // No timeout of its own: its deadline, budget and hold timeout end it, also when it was adopted.
    staticSummary: child.sharedSession === null ? `${promptNs}/${promptKey}: ${headline}` : headline,
    memo: { identity: identityOf(opened), ordinal } satisfies ChildMemo,
    priority: priorityOfDepth(agent.depth + 1),
    ...attributesOfChild(agent, child),
  };
}

/** Beginning of the hash of everything that the child's first model call is sent. Its workflow id tells the rest. */
function identityOf({ opening }: OpenedAgent): string {
  return opening.hash.slice(0, 16);
}
