import {
  CancelledFailure,
  TerminatedFailure,
  TimeoutFailure,
  WorkflowFailedError,
  ApplicationFailure,
  type Client,
} from '@temporalio/client';
import { failureTypes, isFailureType } from '../../domain/kernel/failure-types';
import { runWorkflowId } from '../../domain/kernel/ids';
import type { RunResult } from '../../domain/agent/result';
import type { RunWorkflow } from '../../workflows/agent/run-workflow';

/** The end of a run. `remedy` is undefined for failure types that are not Baton's. */
export type RunOutcome =
  | { readonly kind: 'completed'; readonly result: RunResult }
  | { readonly kind: 'failed'; readonly type: string; readonly message: string; readonly remedy: string | undefined }
  | { readonly kind: 'cancelled' };

/**
 * Waits until a run has ended and returns its outcome. A failed run is a returned outcome. Throws only if the server
 * can't be reached or does not have the run.
 */
export async function outcomeOf(client: Client, runId: string): Promise<RunOutcome> {
  try {
    return {
      kind: 'completed',
      result: await client.workflow.getHandle<RunWorkflow>(runWorkflowId(runId)).result(),
    };
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    return fromCause(error.cause);
  }
}

function fromCause(cause: Error | undefined): RunOutcome {
  if (cause instanceof CancelledFailure) return { kind: 'cancelled' };
  if (cause instanceof ApplicationFailure) {
    const type = cause.type ?? 'Agent.Failed';
    return {
      kind: 'failed',
      type,
      message: cause.message,
      remedy: isFailureType(type) ? failureTypes[type].remedy : undefined,
    };
  }
  if (cause instanceof TerminatedFailure)
    return { kind: 'failed', type: 'Terminated', message: cause.message, remedy: undefined };
  if (cause instanceof TimeoutFailure)
    return { kind: 'failed', type: 'TimedOut', message: cause.message, remedy: undefined };
  return { kind: 'failed', type: 'Unknown', message: cause?.message ?? 'no reason given', remedy: undefined };
}
