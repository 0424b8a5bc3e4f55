import { defaultPayloadConverter } from '@temporalio/common';
import type { WorkflowClientInterceptor } from '@temporalio/client';
import { traceHeader } from '../names';

/**
 * Makes the runs that a client starts part of the caller's trace: sends the ids of the span that is active when a run is
 * started. Does nothing in a program without OpenTelemetry. `connectClient` uses it; pass it to a client of your own as
 * `interceptors: { workflow: [callerTrace] }`.
 */
export const callerTrace: WorkflowClientInterceptor = {
  async startWithDetails(input, next) {
    const traceparent = traceHeader in input.headers ? undefined : await activeTraceparent();
    if (traceparent === undefined) return next(input);
    const headers = { ...input.headers, [traceHeader]: defaultPayloadConverter.toPayload({ traceparent }) };
    return next({ ...input, headers });
  },
};

/** The active span, in the format of W3C Trace Context; undefined if there is none. Loaded late, to start fast. */
async function activeTraceparent(): Promise<string | undefined> {
  const { isSpanContextValid, trace } = await import('@opentelemetry/api');
  const span = trace.getActiveSpan()?.spanContext();
  if (span === undefined || !isSpanContextValid(span)) return undefined;
  return `00-${span.traceId}-${span.spanId}-${span.traceFlags.toString(16).padStart(2, '0')}`;
}
