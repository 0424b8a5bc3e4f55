import { ApplicationFailure, CancelledFailure, Context } from '@temporalio/activity';
import { heartbeatIntervalMs } from '../temporal-config/activity-options';

/**
 * Runs the work while sending heartbeats: by them the server notices a dead worker, and through them a cancellation
 * reaches the work's signal.
 */
export async function whileHeartbeating<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const context = Context.current();
  // None at once: the server's clock starts with the activity, and most are over before the first is due.
  const timer = setInterval(() => {
    context.heartbeat();
  }, intervalFor(context));
  try {
    return await work(context.cancellationSignal);
  } catch (error) {
    if (!context.cancellationSignal.aborted) throw error;
    throw interruption(context);
  } finally {
    clearInterval(timer);
  }
}

/** Often enough that one of them may be late. */
function intervalFor({ info }: Context): number {
  return Math.min(heartbeatIntervalMs, (info.heartbeatTimeoutMs ?? Number.POSITIVE_INFINITY) / 3);
}

/** Work that was stopped because its worker is leaving goes on elsewhere; work that was cancelled does not. */
function interruption(context: Context): Error {
  if (context.cancellationDetails?.workerShutdown !== true) return new CancelledFailure('Cancelled');
  return ApplicationFailure.create({
    type: 'Worker.ShuttingDown',
    message: 'The worker was told to stop',
    nextRetryDelay: '100 milliseconds',
  });
}
