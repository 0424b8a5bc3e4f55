import type { NamedToolResult } from '../agent';
import { failedOutcome, failedResult, type SessionEvent, type ToolCall, type ToolResult } from '../tool';
import type { DelegationResult, ReadyDelegation, RefusedDelegation } from './contract';

/** Builds the tool result of a delegation that was refused. The model sees the reason and the remedy. */
export function toolResultForRefusal({ id }: ToolCall, { message }: RefusedDelegation): ToolResult {
  return failedResult(id, message);
}

/**
 * The tool result of a delegation. `delivery` holds its artifacts until the whole turn is done and they get their
 * names.
 */
export interface DeliveredToolResult extends ToolResult {
  readonly delivery?: { readonly prepared: ReadyDelegation; readonly result: DelegationResult };
}

/** A tool call's result with the name of its tool and, for a delegation, what it delivered. */
export type NamedDelivery = NamedToolResult & Pick<DeliveredToolResult, 'delivery'>;

/** Builds the tool result of a completed delegation. It is an error if something expected was not written. */
export function toolResultForSuccess(
  call: ToolCall,
  prepared: ReadyDelegation,
  result: DelegationResult,
): DeliveredToolResult {
  const complete = result.missingArtifacts === undefined;
  return {
    outcome: { callId: call.id, isError: !complete, content: result.summary },
    changes: [],
    events: endedEvents(prepared, complete ? 'done' : 'failed'),
    delivery: { prepared, result },
  };
}

interface FailureCause {
  readonly type: string | undefined;
  readonly message: string;
}

/** Describes why a delegation failed, in one line. */
export function formatFailure({ type = 'Delegation.Failed', message }: FailureCause): string {
  return `${type}: ${message}`;
}

/** Builds the tool result of a delegation that failed. */
export function toolResultForFailure(call: ToolCall, prepared: ReadyDelegation, cause: FailureCause): ToolResult {
  const why = formatFailure(cause).slice(0, 500);
  const message = `DispatchSubagentError: the subagent run was aborted (${why}). [delegation_id ${prepared.delegationId}]`;
  return { outcome: failedOutcome(call.id, message), changes: [], events: endedEvents(prepared, 'failed') };
}

function endedEvents({ delegationId, planStepId }: ReadyDelegation, status: 'done' | 'failed'): SessionEvent[] {
  return [
    { type: 'delegationEnded', value: { delegationId, status } },
    ...(planStepId === null ? [] : [{ type: 'planStepChanged', value: { id: planStepId, status } }]),
  ];
}
