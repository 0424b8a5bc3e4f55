import { Context } from '@temporalio/activity';
import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';
import { DomainError } from '../domain/errors';
import { maxSessionBytes } from '../domain/session';
import { maxPayloadBytes } from '../domain/store/spilled';
import { measurePayload } from '../store/spill';
import { toFailure } from './failures';
import type { AgentActivities } from './interface';

export class PayloadTooLargeError extends DomainError {
  readonly type = 'Payload.TooLarge';

  constructor(what: string, bytes: number, limit: number) {
    super(`${what} has ${bytes} bytes, and at most ${limit} may pass through history`, { bytes, limit });
  }
}

/** A session larger than what fits inline is handed over once per version, whole. */
const carriesSession: ReadonlySet<string> = new Set<keyof AgentActivities>([
  'saveSnapshot',
  'loadSnapshot',
  'loadSessionUpdate',
]);
const maxSessionPayloadBytes = maxSessionBytes + maxPayloadBytes;

/**
 * What every activity passes on its way in and out. An oversized result would fail retryably at the server and repeat a
 * paid call for ever: here it fails for good.
 */
export const activityBoundary: ActivityInboundCallsInterceptor = {
  async execute(input, next) {
    const limit = carriesSession.has(Context.current().info.activityType) ? maxSessionPayloadBytes : maxPayloadBytes;
    try {
      refuseOversized('An argument', input.args, limit);
      const result = await next(input);
      refuseOversized('The result', result, limit);
      return result;
    } catch (error) {
      throw toFailure(error);
    }
  },
};

function refuseOversized(what: string, value: unknown, limit: number): void {
  const bytes = measurePayload(value);
  if (bytes > limit) throw new PayloadTooLargeError(what, bytes, limit);
}
