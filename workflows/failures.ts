import {
  ApplicationFailure,
  CancelledFailure,
  ChildWorkflowFailure,
  TerminatedFailure,
  TimeoutFailure,
} from '@temporalio/workflow';
import { isFailureType, type FailureType } from '../domain/failure-types';
import { nothingSpent, type Spending } from '../domain/budget/allowance';
import { totalSpent } from '../domain/budget/ledger';
import type { AgentProgress } from '../domain/run/progress';
import type { BlobRef } from '../domain/store/blob-ref';

interface RootCause {
  readonly type: FailureType | undefined;
  readonly message: string;
  readonly timedOut: boolean;
}

/** Activity and child failures are wrappers; the type an operator needs is on the innermost cause that has one. */
export function rootCause(error: unknown): RootCause {
  let cause: RootCause = { type: undefined, message: String(error), timedOut: false };
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    const type = at instanceof ApplicationFailure && isFailureType(at.type) ? at.type : undefined;
    const timedOut = cause.timedOut || at instanceof TimeoutFailure;
    cause = { type: type ?? cause.type, message: wordsOf(at) || cause.message, timedOut };
    if (type !== undefined) break;
  }
  return cause;
}

/** The server says nothing about a child that was stopped but that it was. */
function wordsOf(error: Error): string {
  if (error instanceof CancelledFailure) return 'it was cancelled';
  if (error instanceof TerminatedFailure) return 'it was terminated';
  return error.message;
}

/** A failed agent closes with the type of what failed, and with what it had spent and said until then. */
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
  /** Its own and its delegations' together; null when it never began. */
  readonly spent: Spending | null;
  readonly transcript: BlobRef | null;
}

function detailsOf(progress: AgentProgress | undefined): FailureDetails {
  if (progress === undefined) return { turns: 0, spent: null, transcript: null };
  return { turns: progress.calls, spent: totalSpent(progress.ledger), transcript: progress.head };
}

/** What a failed delegation had spent, by its own word; undefined when it could not say. */
export function spentBefore(error: unknown): Spending | undefined {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (!(at instanceof ApplicationFailure)) continue;
    const [details] = (at.details ?? []) as (Partial<FailureDetails> | undefined)[];
    if (details?.spent !== undefined) return details.spent ?? nothingSpent;
  }
  return undefined;
}

/** Whether a child was ended from outside, so that it could neither wait for an operator nor say what it had spent. */
export function wasClosed(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  // An adopted one is not ours to the server: whoever waited for it says so.
  if (rootCause(error).type === 'Delegation.Closed') return true;
  return (
    cause instanceof TerminatedFailure || (error instanceof ChildWorkflowFailure && cause instanceof TimeoutFailure)
  );
}

export function failure(type: FailureType, message: string): ApplicationFailure {
  return ApplicationFailure.create({ type, message, nonRetryable: true });
}
