import { AssertionError } from 'node:assert';
import { ApplicationFailure, CancelledFailure, Context } from '@temporalio/activity';
import { heartbeatIntervalMs } from '../temporal-config/activity-options';
import { Attempt } from './attempt';

/**
 * Runs the work while sending heartbeats. They let the server notice a dead worker, and their responses deliver a
 * cancellation to the work's signal. `details` returns what a heartbeat says about the progress of the work.
 */
export async function whileHeartbeating<T>(
  work: (signal: AbortSignal) => Promise<T>,
  details?: () => object | undefined,
): Promise<T> {
  const context = Context.current();
  // No heartbeat at the start: the server's timeout begins with the activity, and most end before the first one is due.
  const attempt = Attempt.current();
  const timer = setInterval(() => {
    attempt.heartbeat(details?.());
  }, intervalFor(context));
  try {
    return await work(context.cancellationSignal);
  } catch (error) {
    if (!context.cancellationSignal.aborted || isDefect(error)) throw error;
    throw interruption(context);
  } finally {
    clearInterval(timer);
  }
}

/** A third of the timeout, so that one heartbeat may be late. */
function intervalFor({ info }: Context): number {
  return Math.min(heartbeatIntervalMs, (info.heartbeatTimeoutMs ?? Number.POSITIVE_INFINITY) / 3);
}

/**
 * Whether an error can't be a consequence of aborting the work, because only wrong code throws it. Everything else may
 * be: a request that was aborted, a process that was killed, a store that was closed.
 */
function isDefect(error: unknown): boolean {
  const isProgrammingError =
    error instanceof TypeError ||
    error instanceof RangeError ||
    error instanceof ReferenceError ||
    error instanceof SyntaxError ||
    error instanceof AssertionError;
  // `fetch` reports a connection that was lost as a TypeError with a cause.
  return isProgrammingError && error.cause === undefined;
}

/** Work interrupted by a worker shutdown is retried on another worker; cancelled work is not. */
function interruption(context: Context): Error {
  if (context.cancellationDetails?.workerShutdown !== true) return new CancelledFailure('Cancelled');
  return ApplicationFailure.create({
    type: 'Worker.ShuttingDown',
    message: 'The worker is shutting down',
    nextRetryDelay: '100 milliseconds',
  });
}
