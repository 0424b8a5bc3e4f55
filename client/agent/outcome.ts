import {
  type Client,
  type WorkflowExecutionDescription,
  WorkflowFailedError,
  WorkflowNotFoundError,
} from '@temporalio/client';
import type { RunResult, StatusSnapshot } from '../../domain/agent';
import { failureTypes, isFailureType, runWorkflowId } from '../../domain/kernel';
import type { RunWorkflow } from '../../workflows/agent/run-workflow';
import { snapshotQuery } from '../../workflows/messages';
import { BatonError, missingRun } from '../client-errors';
import { causeOf } from './ending';

/** The end of a run. `remedy` is undefined for failure types that are not Baton's. */
export type RunOutcome =
  | { readonly kind: 'completed'; readonly result: RunResult }
  | { readonly kind: 'failed'; readonly type: string; readonly message: string; readonly remedy: string | undefined }
  | { readonly kind: 'cancelled' };

/**
 * Waits until a run has ended and returns its outcome. A failed run is a returned outcome. Throws only if the server
 * can't be reached or does not have the run.
 *
 * @example
 * const outcome = await outcomeOf(client, 'licenses-7');
 * if (outcome.kind === 'failed') console.error(outcome.type, outcome.message, outcome.remedy ?? '');
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

function fromCause(error: Error | undefined): RunOutcome {
  const { type, message } = causeOf(error);
  if (type === 'Cancelled') return { kind: 'cancelled' };
  return {
    kind: 'failed',
    type,
    // The message of a termination is the reason that an operator gave.
    message: type === 'Terminated' ? (error?.message ?? message) : message,
    remedy: isFailureType(type) ? failureTypes[type].remedy : undefined,
  };
}

/**
 * Describes the root execution of a run, as the server reports it. Throws a `BatonError` of type `Client.NotFound` if the
 * run does not exist.
 */
export async function describeRun(client: Client, runId: string): Promise<WorkflowExecutionDescription> {
  try {
    return await client.workflow.getHandle(runWorkflowId(runId)).describe();
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
    throw missingRun(runId);
  }
}

/** Describes an agent's latest execution, as the server reports it. Throws a `BatonError` if the agent does not exist. */
export async function describeAgent(client: Client, workflowId: string): Promise<WorkflowExecutionDescription> {
  try {
    return await client.workflow.getHandle(workflowId).describe();
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
    throw new BatonError('Client.NotFound', `Agent "${workflowId}" does not exist.`, 'List runs with: baton list');
  }
}

/** Queries the status of a run's root agent; undefined when no worker answers within `timeoutMs` (default: 2,000). */
export function queryRunStatus(client: Client, runId: string, timeoutMs?: number): Promise<StatusSnapshot | undefined> {
  return queryAgentStatus(client, runWorkflowId(runId), timeoutMs);
}

/** Queries the status of any agent by its workflow id; undefined when no worker answers in time. */
export async function queryAgentStatus(
  client: Client,
  workflowId: string,
  timeoutMs = 2_000,
): Promise<StatusSnapshot | undefined> {
  const handle = client.workflow.getHandle(workflowId);
  try {
    return await client.withDeadline(Date.now() + timeoutMs, () => handle.query(snapshotQuery));
  } catch {
    return undefined;
  }
}
