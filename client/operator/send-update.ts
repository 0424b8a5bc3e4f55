import {
  type Client,
  isGrpcDeadlineError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import type { UpdateDefinition } from '@temporalio/common';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { displayId } from '../../domain/kernel';
import { grpcStatus, grpcStatusOf } from '../../temporal-config/node/connection-failure';
import { BatonError } from '../client-errors';

const patienceMs = 15_000;

/** Sends an update to an agent and waits for its result. Failures become a `BatonError` with the agent's own reason. */
export async function sendUpdate<Result, Payload>(
  client: Client,
  workflowId: string,
  update: UpdateDefinition<Result, [Payload]> | UpdateDefinition<Result, [Payload?]>,
  payload: Payload,
): Promise<Result> {
  try {
    return await deliverUpdate(client, workflowId, update, payload);
  } catch (error) {
    throw explainFailure(error, displayId(workflowId));
  }
}

/** Like `sendUpdate`, but rethrows failures unchanged. */
export async function deliverUpdate<Result, Payload>(
  client: Client,
  workflowId: string,
  update: UpdateDefinition<Result, [Payload]> | UpdateDefinition<Result, [Payload?]>,
  payload: Payload,
): Promise<Result> {
  const handle = client.workflow.getHandle(workflowId);
  const definition = update as UpdateDefinition<Result, [Payload]>;
  const until = Date.now() + patienceMs;
  // All attempts use one id, so an update that arrived despite an error is not carried out twice.
  const updateId = randomUUID();
  for (;;) {
    try {
      return await client.withDeadline(until, () => handle.executeUpdate(definition, { args: [payload], updateId }));
    } catch (error) {
      if (!isNotReady(error) || Date.now() > until) throw error;
      await sleep(100);
    }
  }
}

/**
 * If another message reaches the agent while the update ends its execution, the server repeats the workflow task and
 * reports to the sender that the workflow is not ready.
 */
function isNotReady(error: unknown): boolean {
  return error instanceof Error && grpcStatusOf(error.cause ?? error) === grpcStatus.failedPrecondition;
}

function explainFailure(error: unknown, target: string): unknown {
  if (error instanceof WorkflowUpdateFailedError) {
    return new BatonError('Client.Refused', `${target} refused: ${error.cause?.message ?? error.message}`);
  }
  if (error instanceof WorkflowNotFoundError) {
    return new BatonError(
      'Client.NotFound',
      `Agent "${target}" does not exist or has ended.`,
      'List the agents with: baton tree <run> --all',
    );
  }
  if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError || isGrpcDeadlineError(error)) {
    return new BatonError(
      'Client.NoWorker',
      `No worker answered for ${target}. The request is delivered as soon as a worker runs.`,
      'Start one with: baton worker',
    );
  }
  return error;
}
