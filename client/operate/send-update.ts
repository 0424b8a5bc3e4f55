import {
  isGrpcDeadlineError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
  type Client,
} from '@temporalio/client';
import type { UpdateDefinition } from '@temporalio/common';
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
  const handle = client.workflow.getHandle(workflowId);
  const definition = update as UpdateDefinition<Answer, [Word]>;
  try {
    return await client.withDeadline(Date.now() + patienceMs, () => handle.executeUpdate(definition, { args: [word] }));
  } catch (error) {
    throw inWords(error, targetOf(workflowId));
  }
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
