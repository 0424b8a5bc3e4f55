import {
  ApplicationFailure,
  CancelledFailure,
  ChildWorkflowFailure,
  TerminatedFailure,
  TimeoutFailure,
} from '@temporalio/workflow';
import type { AgentProgress } from '../domain/agent';
import { nothingSpent, type Spending, totalSpent } from '../domain/budget';
import { type FailureType, isFailureType } from '../domain/kernel';
import type { BlobRef } from '../domain/store';

interface RootCause {
  readonly type: FailureType | undefined;
  readonly message: string;
  readonly timedOut: boolean;
}

/** Returns the innermost cause that has a failure type: activity and child failures are only wrappers. */
export function rootCause(error: unknown): RootCause {
  let cause: RootCause = { type: undefined, message: String(error), timedOut: false };
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    const type = at instanceof ApplicationFailure && isFailureType(at.type) ? at.type : undefined;
    const timedOut = cause.timedOut || at instanceof TimeoutFailure;
    cause = { type: type ?? cause.type, message: messageOf(at) || cause.message, timedOut };
    if (type !== undefined) break;
  }
  return cause;
}

/** Replaces the server's messages about a child that was stopped, which explain nothing. */
function messageOf(error: Error): string {
  if (error instanceof CancelledFailure) return 'it was cancelled';
  if (error instanceof TerminatedFailure) return 'it was terminated';
  return error.message;
}

/**
 * Builds the failure that closes an agent: the type and message of its cause, with the agent's spending and transcript.
 */
export function agentFailure(error: unknown, progress: AgentProgress | undefined): ApplicationFailure {
  const { type, message } = rootCause(error);
  return ApplicationFailure.create({
    message,
    type: type ?? 'Agent.Failed',
    nonRetryable: true,
    details: [detailsOf(progress)],
    ...(error instanceof Error ? { cause: error } : {}),
  });
}

interface FailureDetails {
  readonly turns: number;
  /** Spending of the agent and its delegations together; null when the agent never began. */
  readonly spent: Spending | null;
  readonly transcript: BlobRef | null;
}

function detailsOf(progress: AgentProgress | undefined): FailureDetails {
  if (progress === undefined) return { turns: 0, spent: null, transcript: null };
  return { turns: progress.calls, spent: totalSpent(progress.ledger), transcript: progress.head };
}

/** Reads a failed delegation's spending from its failure; undefined when it could not report it. */
export function spendingFromFailure(error: unknown): Spending | undefined {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (!(at instanceof ApplicationFailure)) continue;
    const [details] = (at.details ?? []) as (Partial<FailureDetails> | undefined)[];
    if (details?.spent !== undefined) return details.spent ?? nothingSpent;
  }
  return undefined;
}

/** Whether a child was closed from outside, so that it could neither wait for an operator nor report its spending. */
export function wasClosedExternally(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  // An adopted child has no child failure. The activity that waited for it reports this type.
  if (rootCause(error).type === 'Delegation.Closed') return true;
  return (
    cause instanceof TerminatedFailure || (error instanceof ChildWorkflowFailure && cause instanceof TimeoutFailure)
  );
}

/** Creates a failure that is not retried. */
export function failure(type: FailureType, message: string): ApplicationFailure {
  return ApplicationFailure.create({ type, message, nonRetryable: true });
}
