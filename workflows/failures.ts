import {
  ActivityFailure,
  ApplicationFailure,
  CancelledFailure,
  ChildWorkflowFailure,
  ContinueAsNew,
  DeterminismViolationError,
  isCancellation,
  TemporalFailure,
  TerminatedFailure,
  TimeoutFailure,
} from '@temporalio/workflow';
import { z } from 'zod';
import { type AgentFailureDetails, agentFailureDetailsSchema, type AgentProgress, ownSpending } from '../domain/agent';
import { nothingSpent, type Spending, totalSpent } from '../domain/budget';
import { checkValue, DomainError, type FailureType, isFailureType } from '../domain/kernel';
import { type Usage, usageSchema } from '../domain/model';
import { failureCause } from '../temporal-config/failure-cause';

interface RootCause {
  /** Undefined when the cause has none of Baton's failure types. */
  readonly type: FailureType | undefined;
  readonly message: string;
  readonly timedOut: boolean;
}

/** Returns the cause of an error, as workflow code sees it: only Baton's failure types count. */
export function rootCause(error: unknown): RootCause {
  const thrown = error instanceof DomainError ? failure(error.type, error.message) : error;
  const { type, message, stopped } = failureCause(thrown, isFailureType);
  return {
    type: isFailureType(type) ? type : undefined,
    message: message || String(error),
    timedOut: stopped === 'timedOut',
  };
}

/**
 * Builds the failure that closes an agent: the type and message of its cause, with the agent's spending and transcript.
 * What the SDK reports as a violation of determinism is kept. It fails the workflow task, and corrected code continues.
 */
export function agentFailure(error: unknown, progress: AgentProgress | undefined): Error {
  if (error instanceof DeterminismViolationError) return error;
  const { type, message } = rootCause(error);
  return ApplicationFailure.create({
    message,
    type: type ?? 'Agent.Failed',
    nonRetryable: true,
    details: [detailsOf(progress)],
    ...(error instanceof Error ? { cause: error } : {}),
  });
}

/**
 * Returns the error with which a workflow closes or an Update is rejected. Anything that is not a failure of Temporal's
 * becomes one, also a defect, because it would otherwise fail the workflow task.
 */
export function closingFailure(error: unknown): Error {
  const isUnderstood = error instanceof TemporalFailure || error instanceof ContinueAsNew;
  return isUnderstood ? error : agentFailure(error, undefined);
}

/**
 * Whether work ended because it was cancelled. A worker that dies or stalls can't confirm the cancellation of an activity:
 * its heartbeat times out, or its attempt fails, and the server reports that, because it no longer retries.
 */
export function isCancelled(error: unknown): boolean {
  return isCancellation(error) || (error instanceof ActivityFailure && error.retryState === 'CANCEL_REQUESTED');
}

/** Returns the error with which an agent closes whose work was cancelled. */
export function cancellationOf(error: unknown): unknown {
  return isCancellation(error) ? error : new CancelledFailure('Cancelled');
}

/**
 * Returns the error that ends a cancelled agent when a delegation failed. What is cancelled with the agent may fail first:
 * a delegation can lose its session before its own cancellation arrives. A defect is still reported as one.
 */
export function afterCancellation(error: unknown): unknown {
  return error instanceof TemporalFailure && !isCancellation(error) ? new CancelledFailure('Cancelled') : error;
}

function detailsOf(progress: AgentProgress | undefined): AgentFailureDetails {
  if (progress === undefined) return { turns: 0, spent: null, transcript: null };
  const { calls: turns, ledger, head: transcript, fallbacks } = progress;
  const replaced = fallbacks === undefined ? {} : { fallbacks };
  return { turns, spent: totalSpent(ledger), ...ownSpending(progress), transcript, ...replaced };
}

const spentSchema = agentFailureDetailsSchema.pick({ spent: true });

/** Reads a failed delegation's spending from its failure; undefined when it could not report it. */
export function spendingFromFailure(error: unknown): Spending | undefined {
  for (const details of failureCause(error, isFailureType).details) {
    const parsed = checkValue(spentSchema, details);
    if (parsed.success) return parsed.data.spent ?? nothingSpent;
  }
  return undefined;
}

const usageDetails = z.object({ usage: usageSchema });

/** Reads what the answered requests of a failed model call used; undefined if none was answered. */
export function usageFromFailure(error: unknown): Usage | undefined {
  const { type, details } = failureCause(error, isFailureType);
  return type === 'Model.BadReply' ? checkValue(usageDetails, details.at(-1)).data?.usage : undefined;
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
