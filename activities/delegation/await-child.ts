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
import { DomainError } from '../../domain/kernel';
import { whileHeartbeating } from '../heartbeat';
import type { AwaitChildInput } from '../interface';

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
export async function awaitChild<Result>(
  { client }: { readonly client: Client },
  input: AwaitChildInput,
): Promise<Result> {
  return whileHeartbeating(async (signal) => {
    const handle = client.workflow.getHandle(input.workflowId);
    await assertSameDelegation(handle, input);
    try {
      for (;;) {
        const { status } = await handle.describe();
        if (status.name !== 'RUNNING') return (await handle.result()) as Result;
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
  { workflowId, parent, identity }: AwaitChildInput,
): Promise<void> {
  const { memo, parentExecution } = await handle.describe();
  if (parentExecution?.workflowId === parent && memo?.['identity'] === identity) return;
  throw new WrongDelegationError(
    `Workflow "${workflowId}" already exists, but it is not the delegation that ${parent} is starting`,
    { workflowId, parent },
  );
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
