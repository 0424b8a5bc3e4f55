import { CancellationScope, isCancellation } from '@temporalio/workflow';
import { millisecondsUntil } from '../clock';
import { failure } from '../failures';

/** Runs the work until the deadline. When it passes, everything in progress is cancelled, delegations included. */
export function withinDeadline<T>(deadline: string | undefined, work: () => Promise<T>): Promise<T> {
  return deadline === undefined ? work() : endedAt(deadline, work);
}

async function endedAt<T>(deadline: string, work: () => Promise<T>): Promise<T> {
  const remaining = millisecondsUntil(deadline);
  const expired = failure('Budget.Exceeded', `The deadline ${deadline} has passed.`);
  if (remaining <= 0) throw expired;
  const outer = CancellationScope.current();
  try {
    return await CancellationScope.withTimeout(remaining, work);
  } catch (error) {
    if (isCancellation(error) && !outer.consideredCancelled) throw expired;
    throw error;
  }
}
