import { CancellationScope } from '@temporalio/workflow';
import {
  type DeliveredToolResult,
  type ReadyDelegation,
  toolResultForFailure,
  toolResultForRefusal,
  toolResultForSuccess,
} from '../../domain/delegation';
import type { SessionEvent, ToolCall } from '../../domain/tool';
import type { Agent } from '../agent/agent';
import { afterCancellation, rootCause } from '../failures';
import type { CapturedSession } from '../session/transfer-session';
import type { DelegationPreparation } from './prepare-delegations';
import { runChild } from './run-child';

/** State that the delegations of one turn share. */
export interface DelegationContext {
  readonly session: CapturedSession;
  readonly preparation: DelegationPreparation;
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
  // Before anything is awaited, so that delegations are prepared and started in the order of the calls.
  const dispatch = { call, ordinal };
  context.preparation.expect(dispatch);
  const admission = agent.semaphore.acquire();
  if (admission !== undefined) await admission;
  try {
    return await runAdmitted(agent, dispatch, context);
  } finally {
    agent.semaphore.release();
  }
}

async function runAdmitted(
  agent: Agent,
  dispatch: { readonly call: ToolCall; readonly ordinal: number },
  { session, preparation, record, queue }: DelegationContext,
): Promise<DeliveredToolResult> {
  const { call, ordinal } = dispatch;
  const snapshot = await session.transfer;
  const prepared = await preparation.prepare(dispatch);
  if (!prepared.ok) {
    queue.length -= 1;
    return toolResultForRefusal(call, prepared);
  }
  const recorded = record(startedEvents(prepared));
  if (recorded !== undefined) await recorded;
  try {
    // Counted at the last moment, because shares are reserved in the order in which delegations leave the queue.
    const waiting = queue.length--;
    const from = { snapshot, workspace: session.workspace };
    const result = await runChild(agent, { ...prepared, ordinal, sharedSession: null }, from, waiting);
    return toolResultForSuccess(call, prepared, result);
  } catch (error) {
    // A child may be cancelled alone. Rethrow only if this agent is cancelled too.
    if (CancellationScope.current().consideredCancelled) throw afterCancellation(error);
    return toolResultForFailure(call, prepared, rootCause(error));
  }
}

function startedEvents({ delegationId, promptNs, promptKey, planStepId }: ReadyDelegation): SessionEvent[] {
  return [
    { type: 'delegationStarted', value: { delegationId, promptNs, promptKey } },
    ...(planStepId === null ? [] : [{ type: 'planStepChanged', value: { id: planStepId, status: 'in_progress' } }]),
  ];
}
