import { Context } from '@temporalio/activity';
import {
  ApplicationFailure,
  type Client,
  TerminatedFailure,
  TimeoutFailure,
  type WorkflowExecutionDescription,
  WorkflowFailedError,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { ApplicationFailureCategory } from '@temporalio/common';
import type { z } from 'zod';
import { checkValue, DomainError, firstIssue, InvalidInputError } from '../../domain/kernel';
import { childMemoSchema, type ExistingChild } from '../../domain/session';

/** Thrown when a workflow with the expected id exists but was started with something else. */
class WrongDelegationError extends DomainError {
  readonly type = 'Delegation.Other';
}

/**
 * Returns the result of a child that an earlier execution of its parent started: after a reset, completed children are
 * reused and running ones adopted. While the child runs, every attempt looks once and ends with a failure that asks for
 * the next look. So waiting occupies no slot of a worker, and adds nothing to history.
 */
export async function awaitChild<Schema extends z.ZodType>(
  { client }: { readonly client: Client },
  input: ExistingChild,
  schema: Schema,
): Promise<z.output<Schema>> {
  const handle = client.workflow.getHandle(input.workflowId);
  try {
    const description = await handle.describe();
    assertSameDelegation(description, input);
    if (description.status.name === 'RUNNING') throw stillRunning(input);
    return parseResult(schema, await handle.result(), input);
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) throw goneFailure(input);
    throw error instanceof WorkflowFailedError ? asFailure(error) : error;
  }
}

/** Whether the latest execution of a workflow is open. One that the server no longer has is not. */
export async function isWorkflowOpen(
  { client }: { readonly client: Client },
  { workflowId }: { readonly workflowId: string },
): Promise<boolean> {
  try {
    const { status } = await client.workflow.getHandle(workflowId).describe();
    return status.name === 'RUNNING';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}

/** Throws unless the workflow has the expected parent and identity. */
export function assertSameDelegation(
  { memo, parentExecution }: WorkflowExecutionDescription,
  { workflowId, parent, identity }: ExistingChild,
): void {
  if (parentExecution?.workflowId === parent && checkValue(childMemoSchema, memo).data?.identity === identity) return;
  throw new WrongDelegationError(
    `Workflow "${workflowId}" already exists, but it is not the delegation that ${parent} is starting`,
    { workflowId, parent },
  );
}

/** Checks the result of a child, which may have run with another version of Baton. */
export function parseResult<Schema extends z.ZodType>(
  schema: Schema,
  result: unknown,
  { workflowId }: ExistingChild,
): z.output<Schema> {
  const parsed = checkValue(schema, result);
  if (parsed.success) return parsed.data;
  const { field, reason } = firstIssue(parsed.error, 'result');
  throw new InvalidInputError(`result of ${workflowId}: ${field}`, reason, 'Start the run again.');
}

/** How long this step has been waiting, over all its attempts. */
function waitedMs(): number {
  return Date.now() - Context.current().info.scheduledTimestampMs;
}

const shortestDelayMs = 200;
const longestDelayMs = 15_000;

/**
 * Asks for the next look after a quarter of the time waited so far: a short wait ends soon after the child does, and a
 * long one costs the server little.
 */
export function stillRunning({ workflowId }: Pick<ExistingChild, 'workflowId'>): ApplicationFailure {
  const delay = Math.round(Math.min(Math.max(waitedMs() / 4, shortestDelayMs), longestDelayMs));
  return ApplicationFailure.create({
    type: 'Delegation.Running',
    message: `Waiting, which is not a failure: ${workflowId} is still running. Its state is looked up again in ${delay} ms.`,
    details: [{ workflowId }],
    nextRetryDelay: delay,
    category: ApplicationFailureCategory.BENIGN,
  });
}

/** Keeps the failure type of the delegation. Not retryable, because a retry would find the same closed workflow. */
function asFailure({ cause }: WorkflowFailedError): ApplicationFailure {
  const failure = cause instanceof ApplicationFailure ? cause : undefined;
  const closed = externalEnd(cause);
  return ApplicationFailure.create({
    type: failure?.type ?? (closed === undefined ? 'Delegation.Failed' : 'Delegation.Closed'),
    message: closed ?? cause?.message ?? 'The delegation ended without a result',
    nonRetryable: true,
    details: failure?.details ?? [],
  });
}

/** Describes how a child was closed from outside; undefined if it ended by itself. */
function externalEnd(cause: Error | undefined): string | undefined {
  if (cause instanceof TimeoutFailure) return 'it timed out';
  if (!(cause instanceof TerminatedFailure)) return undefined;
  return cause.message === '' ? 'it was terminated' : `it was terminated: ${cause.message}`;
}

function goneFailure({ workflowId }: ExistingChild): ApplicationFailure {
  return ApplicationFailure.nonRetryable(
    `it is no longer on the server: "${workflowId}" was deleted, or its retention period has passed`,
    'Delegation.Closed',
  );
}
