import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { activityBoundary } from '../../activities/boundary';
import { countRetries } from '../count-retries';
import { redactorFor } from '../redact';
import type { BatonPluginOptions } from '../worker-options';

/** Interceptors of Baton's activities. Those that a team has in the same worker run without them. */
export function batonInterceptors(
  { traces, redact }: Pick<BatonPluginOptions, 'traces' | 'redact'>,
  activities: object,
): ActivityInterceptorsFactory[] {
  const boundary = activityBoundary(redactorFor(redact));
  const factories = [...(traces ? [traces.activity] : []), countRetries, () => ({ inbound: boundary })];
  return factories.map(
    (create): ActivityInterceptorsFactory =>
      (context) =>
        Object.hasOwn(activities, context.info.activityType) ? create(context) : {},
  );
}
