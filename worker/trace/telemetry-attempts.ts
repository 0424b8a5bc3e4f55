import {
  context as contexts,
  isSpanContextValid,
  propagation,
  SpanStatusCode,
  trace,
  type Span,
  type Tracer,
} from '@opentelemetry/api';
import type { Context } from '@temporalio/activity';
import { ApplicationFailure, ApplicationFailureCategory, defaultPayloadConverter } from '@temporalio/common';
import type {
  ActivityInboundCallsInterceptor,
  ActivityInterceptors,
  ActivityOutboundCallsInterceptor,
} from '@temporalio/worker';
import { traceHeader } from '../../temporal-config/names';

type Execute = NonNullable<ActivityInboundCallsInterceptor['execute']>;
type Headers = Parameters<Execute>[0]['headers'];

/**
 * Creates one span per Activity attempt, below the span that workflow code creates for all attempts together. The spans
 * have the names and attributes of Temporal's own OpenTelemetry interceptors, plus the number of the attempt.
 */
export function traceAttempts({ info }: Context, tracer: Tracer): ActivityInterceptors {
  return {
    inbound: {
      execute: (input, next) =>
        contexts.with(parentContext(input.headers), () =>
          tracer.startActiveSpan(`RunActivity:${info.activityType}`, { attributes: attributesOf(info) }, (span) =>
            endWith(span, next(input)),
          ),
        ),
    },
    outbound: { getLogAttributes: withSpanIds },
  };
}

function attributesOf({ activityId, attempt, workflowExecution }: Context['info']): Record<string, string | number> {
  return {
    temporalActivityId: activityId,
    ...(workflowExecution && { temporalWorkflowId: workflowExecution.workflowId, run_id: workflowExecution.runId }),
    'baton.attempt': attempt,
  };
}

/** The context that the caller sent in the trace header, or the current one. */
function parentContext(headers: Headers): ReturnType<typeof contexts.active> {
  const payload = headers[traceHeader];
  if (payload === undefined) return contexts.active();
  return propagation.extract(contexts.active(), defaultPayloadConverter.fromPayload(payload));
}

/** Ends the span when the attempt ends. */
async function endWith<T>(span: Span, work: Promise<T>): Promise<T> {
  try {
    const result = await work;
    span.setStatus({ code: SpanStatusCode.OK });
    return result;
  } catch (error) {
    const isBenign = error instanceof ApplicationFailure && error.category === ApplicationFailureCategory.BENIGN;
    const failure = error instanceof Error ? error : new Error(String(error));
    span.setStatus({ code: isBenign ? SpanStatusCode.UNSET : SpanStatusCode.ERROR, message: failure.message });
    span.recordException(failure);
    throw error;
  } finally {
    span.end();
  }
}

/** Adds the ids of the current span to what an Activity logs. */
const withSpanIds: NonNullable<ActivityOutboundCallsInterceptor['getLogAttributes']> = (input, next) => {
  const span = trace.getActiveSpan()?.spanContext();
  if (span === undefined || !isSpanContextValid(span)) return next(input);
  const { traceId, spanId, traceFlags } = span;
  return next({ trace_id: traceId, span_id: spanId, trace_flags: `0${traceFlags.toString(16)}`, ...input });
};
