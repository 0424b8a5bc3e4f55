import { CancellationScope, proxyActivities } from '@temporalio/workflow';
import type { AgentActivities } from '../../activities/interface';
import {
  type DeliveredToolResult,
  type PreparedDelegation,
  type ReadyDelegation,
  toolResultForFailure,
  toolResultForRefusal,
  toolResultForSuccess,
} from '../../domain/delegation';
import type { PrepareDelegationInput } from '../../domain/delegation/prepare';
import { unspentAllowance } from '../../domain/budget';
import { type SnapshotPayload, snapshotFormat, summarizeSnapshot } from '../../domain/session';
import type { SessionEvent, ToolCall } from '../../domain/tool';
import { shortActivityOptions } from '../../temporal-config/activity-options';
import { activityOptions, type Agent, agentWorkflowId, settingsInput, storeLocation } from '../agent/agent';
import { millisecondsUntil, workflowNow } from '../clock';
import { afterCancellation, rootCause } from '../failures';
import { withOperatorRetry } from '../operator/operator-retry';
import type { CapturedSession } from '../session/transfer-session';
import { workspaceInput } from '../workspace/mount-and-fold';
import { runChild } from './run-child';

/** State that the delegations of one turn share. */
export interface DelegationContext {
  readonly session: CapturedSession;
  /** Number of the turn's delegations that wait for their share of the budget, including this one. */
  readonly queue: { length: number };
  /** Applies events to the session at once, while the delegation is running. */
  record(events: readonly SessionEvent[]): Promise<void> | undefined;
}

/**
 * Carries out one call of `dispatch_subagent` or `dispatch_skill`: composes a prompt, runs a child from the session
 * snapshot, and returns nothing but its result.
 */
export async function dispatchSubagent(
  agent: Agent,
  call: ToolCall,
  ordinal: number,
  context: DelegationContext,
): Promise<DeliveredToolResult> {
  // Before anything is awaited, so that delegations start in the order of the calls.
  const admission = agent.semaphore.acquire();
  if (admission !== undefined) await admission;
  try {
    return await runAdmitted(agent, call, ordinal, context);
  } finally {
    agent.semaphore.release();
  }
}

async function runAdmitted(
  agent: Agent,
  call: ToolCall,
  ordinal: number,
  { session, record, queue }: DelegationContext,
): Promise<DeliveredToolResult> {
  const transfer = await session.transfer;
  const prepared = await prepare(agent, call, ordinal, {
    summary: summarizeSnapshot(agent.schema, session.snapshot),
    transfer,
    problem: session.problem,
    workspace: session.workspace,
  });
  if (!prepared.ok) {
    queue.length -= 1;
    return toolResultForRefusal(call, prepared);
  }
  const recorded = record(startedEvents(prepared));
  if (recorded !== undefined) await recorded;
  try {
    // Counted at the last moment, because shares are reserved in the order in which delegations leave the queue.
    const waiting = queue.length--;
    const from = { snapshot: transfer, workspace: session.workspace };
    const result = await runChild(agent, { ...prepared, ordinal, sharedSession: null }, from, waiting);
    return toolResultForSuccess(call, prepared, result);
  } catch (error) {
    // A child may be cancelled alone. Rethrow only if this agent is cancelled too.
    if (CancellationScope.current().consideredCancelled) throw afterCancellation(error);
    return toolResultForFailure(call, prepared, rootCause(error));
  }
}

function prepare(
  agent: Agent,
  call: ToolCall,
  ordinal: number,
  session: {
    readonly summary: PrepareDelegationInput['snapshotSummary'];
    readonly transfer: SnapshotPayload;
    readonly workspace: CapturedSession['workspace'];
    readonly problem: string | undefined;
  },
): Promise<PreparedDelegation> {
  const at = workflowNow();
  const { deadline } = agent.settings;
  const { prepareDelegation } = proxyActivities<AgentActivities>(
    activityOptions(shortActivityOptions, agent.settings, 'compose a delegation'),
  );
  const input: PrepareDelegationInput = {
    ...storeLocation(agent),
    call,
    parent: delegatingAgent(agent),
    settings: settingsInput(agent),
    ordinal,
    snapshot: session.transfer,
    snapshotSummary: session.summary,
    snapshotVersion: snapshotFormat,
    ...(session.problem === undefined ? {} : { snapshotProblem: session.problem }),
    at,
    ...(deadline === undefined ? {} : { millisecondsLeft: millisecondsUntil(deadline) }),
    unspent: unspentAllowance(agent.progress.ledger),
    workspace: workspaceInput(session.workspace),
  };
  return withOperatorRetry(agent, { name: 'composing a delegation' }, () => prepareDelegation(input));
}

/** Describes the agent that delegates, for the activities that compose prompts. */
export function delegatingAgent({ delegationId, depth, progress }: Agent): PrepareDelegationInput['parent'] {
  const { opened, head } = progress;
  const parent = { agentId: agentWorkflowId(), delegationId, depth, opened };
  return opened.transcript === undefined ? parent : { ...parent, head };
}

function startedEvents({ delegationId, promptNs, promptKey, planStepId }: ReadyDelegation): SessionEvent[] {
  return [
    { type: 'delegationStarted', value: { delegationId, promptNs, promptKey } },
    ...(planStepId === null ? [] : [{ type: 'planStepChanged', value: { id: planStepId, status: 'in_progress' } }]),
  ];
}
