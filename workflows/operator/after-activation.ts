import { condition } from '@temporalio/workflow';

/**
 * Resolves when the workflow has reacted to everything that it was told at once.
 *
 * Commands that depend on a message and on a result have to wait for that. A worker that replays may be told of both at
 * once, the message first, although a worker that had the workflow in its cache was told of the result earlier: the SDK
 * joins a workflow task without commands with the next one. The order of the commands must be the same.
 */
export async function afterActivation(): Promise<void> {
  // Conditions are checked after every job, but promises are settled only when all jobs are done.
  let areJobsDone = false;
  void Promise.resolve().then(() => {
    areJobsDone = true;
  });
  await condition(() => areJobsDone);
}
