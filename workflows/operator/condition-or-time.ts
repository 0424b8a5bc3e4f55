import { CancellationScope, condition, sleep } from '@temporalio/workflow';

type TimerOptions = Parameters<typeof sleep>[1];

/**
 * Waits until a condition holds, at most for this time. Like the SDK's `condition` with a timeout, but with half as many
 * promises, which a worker keeps in memory for every agent that waits: docs/decisions/workflow-waits-little.md.
 */
export async function conditionOrTime(holds: () => boolean, ms: number, options?: TimerOptions): Promise<void> {
  const timer = new CancellationScope();
  try {
    await Promise.race([timer.run(() => sleep(ms, options)), condition(holds)]);
  } finally {
    timer.cancel();
  }
}
