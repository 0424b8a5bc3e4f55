import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  isGrpcDeadlineError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
  type Client,
} from '@temporalio/client';
import type { UpdateDefinition } from '@temporalio/common';
import { grpcStatus, statusOf } from '../../temporal-config/server/grpc-status';
import { targetOf } from '../agents/agent-id';
import { CliError, exitCodes } from '../cli';

const patienceMs = 15_000;

/** Tells an agent something and waits for its answer. What it refuses is said in its own words. */
export async function sendUpdate<Answer, Word>(
  client: Client,
  workflowId: string,
  update: UpdateDefinition<Answer, [Word]> | UpdateDefinition<Answer, [Word?]>,
  word: Word,
): Promise<Answer> {
  try {
    return await deliverUpdate(client, workflowId, update, word);
  } catch (error) {
    throw inWords(error, targetOf(workflowId));
  }
}

/** The same, with failures as they come. */
export async function deliverUpdate<Answer, Word>(
  client: Client,
  workflowId: string,
  update: UpdateDefinition<Answer, [Word]> | UpdateDefinition<Answer, [Word?]>,
  word: Word,
): Promise<Answer> {
  const handle = client.workflow.getHandle(workflowId);
  const definition = update as UpdateDefinition<Answer, [Word]>;
  const until = Date.now() + patienceMs;
  // The same for every try: what had arrived after all is not done twice.
  const updateId = randomUUID();
  for (;;) {
    try {
      return await client.withDeadline(until, () => handle.executeUpdate(definition, { args: [word], updateId }));
    } catch (error) {
      if (!isNotReady(error) || Date.now() > until) throw error;
      await sleep(100);
    }
  }
}

/**
 * When something else reaches the agent in the moment in which the word ends it, the server has the task done again, and
 * says to whoever spoke that the workflow is not ready.
 */
function isNotReady(error: unknown): boolean {
  return error instanceof Error && statusOf(error.cause ?? error) === grpcStatus.failedPrecondition;
}

function inWords(error: unknown, target: string): unknown {
  if (error instanceof WorkflowUpdateFailedError) {
    return new CliError(exitCodes.failed, `${target} refused: ${error.cause?.message ?? error.message}`);
  }
  if (error instanceof WorkflowNotFoundError) {
    return new CliError(
      exitCodes.failed,
      `There is no agent "${target}", or it has ended.`,
      'See what is there with: baton tree <run>',
    );
  }
  if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError || isGrpcDeadlineError(error)) {
    return new CliError(
      exitCodes.unavailable,
      `No worker answered for ${target}; it is told as soon as one is there.`,
      'Start one with: baton worker',
    );
  }
  return error;
}
