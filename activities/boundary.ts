import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';
import { DomainError } from '../domain/errors';
import { maxPayloadBytes } from '../domain/store/spilled';
import { measurePayload } from '../store/spill';
import { toFailure } from './failures';

export class PayloadTooLargeError extends DomainError {
  readonly type = 'Payload.TooLarge';

  constructor(what: string, bytes: number) {
    super(`${what} has ${bytes} bytes, and at most ${maxPayloadBytes} may pass through history`, {
      bytes,
      maxPayloadBytes,
    });
  }
}

/**
 * What every activity passes on its way in and out. An oversized result would fail retryably at the server and repeat a
 * paid call for ever: here it fails for good.
 */
export const activityBoundary: ActivityInboundCallsInterceptor = {
  async execute(input, next) {
    try {
      refuseOversized('An argument', input.args);
      const result = await next(input);
      refuseOversized('The result', result);
      return result;
    } catch (error) {
      throw toFailure(error);
    }
  },
};

function refuseOversized(what: string, value: unknown): void {
  const bytes = measurePayload(value);
  if (bytes > maxPayloadBytes) throw new PayloadTooLargeError(what, bytes);
}
