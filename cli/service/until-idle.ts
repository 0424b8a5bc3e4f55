import type { Client } from '@temporalio/client';
import { setTimeout as sleep } from 'node:timers/promises';

const lookEveryMs = 1_000;
/** A run that was just started, or one that a parent is about to start, shows in lists after a moment. */
const quietMs = 5_000;

/** Resolves when no workflow of the task queue has been open for some seconds. A server that can't be reached is not idle. */
export async function untilIdle(client: Client, taskQueue: string): Promise<void> {
  const query = `TaskQueue = ${JSON.stringify(taskQueue)} AND ExecutionStatus = 'Running'`;
  for (let quietSince = Date.now(); Date.now() - quietSince < quietMs;) {
    await sleep(lookEveryMs);
    const open = await client.workflow.count(query).catch(() => undefined);
    if (open?.count !== 0) quietSince = Date.now();
  }
}
