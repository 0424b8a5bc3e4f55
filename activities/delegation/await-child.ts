import { Context } from '@temporalio/activity';
import {
  ApplicationFailure,
  TerminatedFailure,
  TimeoutFailure,
  WorkflowFailedError,
  type Client,
  type WorkflowHandle,
} from '@temporalio/client';
import { setTimeout as sleep } from 'node:timers/promises';
import type { z } from 'zod';
import { DomainError, firstIssue, InvalidInputError } from '../../domain/kernel';
import { childMemoSchema, type ExistingChild } from '../../domain/session';
import { whileHeartbeating } from '../heartbeat';

/** Thrown when a workflow with the expected id exists but was started with something else. */
class WrongDelegationError extends DomainError {
  readonly type = 'Delegation.Other';
}

const pollMs = 1_000;

/**
 * Waits for a child that an earlier execution of its parent started: after a reset, completed children are reused and
 * running ones adopted. The server does not cancel an adopted child with its parent, so the cancellation is forwarded
 * here.
 */
export async function awaitChild<Schema extends z.ZodType>(
  { client }: { readonly client: Client },
  input: ExistingChild,
  schema: Schema,
): Promise<z.output<Schema>> {
  return whileHeartbeating(async (signal) => {
    const handle = client.workflow.getHandle(input.workflowId);
    await assertSameDelegation(handle, input);
    try {
      for (;;) {
        const { status } = await handle.describe();
        if (status.name !== 'RUNNING') return parseResult(schema, await handle.result(), input);
        signal.throwIfAborted();
        await sleep(pollMs, undefined, { signal }).catch(() => undefined);
      }
    } catch (error) {
      if (signal.aborted && Context.current().cancellationDetails?.cancelRequested === true) await stop(handle);
      throw error instanceof WorkflowFailedError ? asFailure(error) : error;
    }
  });
}

/** Throws unless the workflow has the expected parent and identity. */
export async function assertSameDelegation(
  handle: WorkflowHandle,
  { workflowId, parent, identity }: ExistingChild,
): Promise<void> {
  const { memo, parentExecution } = await handle.describe();
  if (parentExecution?.workflowId === parent && childMemoSchema.safeParse(memo).data?.identity === identity) return;
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
  const parsed = schema.safeParse(result);
  if (parsed.success) return parsed.data;
  const { field, reason } = firstIssue(parsed.error, 'result');
  throw new InvalidInputError(`result of ${workflowId}: ${field}`, reason, 'Start the run again.');
}

async function stop(handle: WorkflowHandle): Promise<void> {
  await handle.cancel();
  await handle.result().catch(() => undefined);
}

/** Keeps the failure type of the delegation. Not retryable, because a retry would find the same closed workflow. */
function asFailure({ cause }: WorkflowFailedError): ApplicationFailure {
  const failure = cause instanceof ApplicationFailure ? cause : undefined;
  const wasClosed = cause instanceof TerminatedFailure || cause instanceof TimeoutFailure;
  return ApplicationFailure.create({
    type: failure?.type ?? (wasClosed ? 'Delegation.Closed' : 'Delegation.Failed'),
    message: cause?.message ?? 'The delegation ended without a result',
    nonRetryable: true,
    details: failure?.details ?? [],
  });
}
