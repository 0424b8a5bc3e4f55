import type { Client } from '@temporalio/client';
import { optionalTsToMs } from '@temporalio/common/lib/time';
import { temporal } from '@temporalio/proto';

/** Workers poll at least this often. The server still lists a worker for some minutes after it has stopped. */
export const silenceMs = 75_000;
/** Workers come and go slowly, so their number is asked for at most this often. */
const rememberedMs = 10_000;
/** Longest time that an answer is waited for. */
const patienceMs = 2_000;

/** Returns how many workers have lately asked for activities of a task queue, named in full. */
export async function countActivityWorkers(client: Client, name: string): Promise<number> {
  const { pollers } = await client.workflowService.describeTaskQueue({
    namespace: client.options.namespace,
    taskQueue: { name },
    taskQueueType: temporal.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY,
  });
  return pollers.filter(({ lastAccessTime }) => Date.now() - (optionalTsToMs(lastAccessTime) ?? 0) < silenceMs).length;
}

/** Returns how many workers share the activities of a task queue. At least one: the worker that asks. */
type CountSharers = (taskQueue: string) => Promise<number>;

/** Returns a function that asks the server how many workers share the activities of a task queue. */
export function sharersCounter(client: Client): CountSharers {
  return remembered((taskQueue) =>
    client.connection.withDeadline(Date.now() + patienceMs, () => countActivityWorkers(client, taskQueue)),
  );
}

/**
 * Returns a function that asks for the number of workers, and remembers it for a while. If the server does not answer or
 * refuses, it returns the last number that is known.
 */
export function remembered(ask: CountSharers, now: () => number = () => performance.now()): CountSharers {
  const known = new Map<string, { readonly at: number; readonly count: Promise<number> }>();
  return (taskQueue) => {
    const last = known.get(taskQueue);
    if (last !== undefined && now() - last.at < rememberedMs) return last.count;
    const count = ask(taskQueue).then(
      (found) => Math.max(1, found),
      () => last?.count ?? 1,
    );
    known.set(taskQueue, { at: now(), count });
    return count;
  };
}
