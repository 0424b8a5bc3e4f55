import type { Context } from '@temporalio/activity';
import type { ActivityInterceptors } from '@temporalio/worker';
import { runTurnActivity } from '../domain/agent';
import { counters } from '../temporal-config/names';

/** Counts an attempt at a model call, unless it is the first. */
function countRetry({ info, metricMeter }: Pick<Context, 'info' | 'metricMeter'>): void {
  if (info.activityType !== runTurnActivity.name || info.attempt === 1) return;
  metricMeter.createCounter(counters.retries, 'attempts', 'Attempts at model calls after the first').add(1);
}

/** Activity interceptor that counts repeated attempts at model calls. */
export function countRetries(context: Context): ActivityInterceptors {
  return {
    inbound: {
      execute(input, next) {
        countRetry(context);
        return next(input);
      },
    },
  };
}
