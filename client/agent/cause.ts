import {
  ApplicationFailure,
  CancelledFailure,
  ChildWorkflowFailure,
  TerminatedFailure,
  TimeoutFailure,
} from '@temporalio/common';
import { isFailureType } from '../../domain/kernel/failure-types';

/** The reason for a failure, and the delegations that it passed through. */
export interface Cause {
  readonly type: string;
  readonly message: string;
  /** Workflow ids of the delegations that the failure passed through, outermost first. */
  readonly agents: readonly string[];
  /** Details that the failing agent attached to its failure. */
  readonly details: unknown;
}

/**
 * Finds the cause of an error: activity and child failures are wrappers, so the innermost failure with a type counts.
 */
export function causeOf(error: Error | undefined): Cause {
  const agents: string[] = [];
  let found = { type: 'Unknown', message: error?.message ?? 'no reason given' };
  let details: unknown;
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (at instanceof ChildWorkflowFailure) agents.push(at.execution.workflowId ?? '');
    else if (at instanceof ApplicationFailure && isBetter(at.type, found.type))
      found = { type: at.type, message: at.message };
    else if (found.type === 'Unknown') found = untyped(at, found.message);
    if (at instanceof ApplicationFailure) details ??= at.details?.[0];
  }
  return { ...found, agents: agents.filter((id) => id !== ''), details };
}

/** The deepest type wins, but one of Baton's failure types is never replaced by the type of an exception below it. */
function isBetter(type: string | null | undefined, found: string): type is string {
  return typeof type === 'string' && (isFailureType(type) || !isFailureType(found));
}

function untyped(error: Error, otherwise: string): { type: string; message: string } {
  if (error instanceof TerminatedFailure) return { type: 'Terminated', message: 'it was terminated' };
  if (error instanceof TimeoutFailure) return { type: 'TimedOut', message: error.message };
  if (error instanceof CancelledFailure) return { type: 'Cancelled', message: 'it was cancelled' };
  return { type: 'Unknown', message: error.message || otherwise };
}
