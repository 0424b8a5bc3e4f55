import {
  ContinueAsNew,
  isCancellation,
  proxySinks,
  type WorkflowInboundCallsInterceptor,
  workflowInfo,
  type WorkflowInterceptorsFactory,
  type WorkflowOutboundCallsInterceptor,
} from '@temporalio/workflow';
import { callModelActivity } from '../../domain/agent';
import { type SpanAttributes, spanNames, type TraceSinks } from '../../temporal-config/names';
import { workflowNow } from '../clock';
import { rootCause } from '../failures';
import {
  activityAttributes,
  activityContext,
  contextIn,
  executionAttributes,
  executionContext,
  headersFor,
  resultAttributes,
  type TraceContext,
} from './attributes';

/**
 * Reports spans of one execution and its activities. Loaded only when tracing is on. Nothing here awaits, and every
 * promise is passed on unchanged: one more step before a command would move it, and an old history could no longer be
 * replayed. docs/decisions/telemetry-spans.md explains why Temporal's own workflow interceptors are not used.
 */
export const interceptors: WorkflowInterceptorsFactory = () => {
  const trace = new ExecutionTrace();
  return { inbound: [trace], outbound: [trace] };
};

class ExecutionTrace implements WorkflowInboundCallsInterceptor, WorkflowOutboundCallsInterceptor {
  private parent: TraceContext | undefined;
  private begun: TraceContext | undefined;
  private model: SpanAttributes = {};

  execute: NonNullable<WorkflowInboundCallsInterceptor['execute']> = (input, next) => {
    this.parent = contextIn(input.headers);
    const attributes = executionAttributes(input.args[0]);
    const { 'baton.model': model } = attributes;
    if (model !== undefined) this.model = { 'baton.model': model };
    const { workflowType } = workflowInfo();
    return watched(next(input), span(workflowType, this.own(), this.parent, attributes), () => ({}));
  };

  scheduleActivity: NonNullable<WorkflowOutboundCallsInterceptor['scheduleActivity']> = (input, next) => {
    const { activityType: type } = input;
    const context = activityContext(this.own(), input.seq);
    const about = {
      ...activityAttributes(type, input.args[0]),
      ...(type === callModelActivity.name ? this.model : {}),
    };
    return watched(
      next({ ...input, headers: headersFor(input.headers, context) }),
      span(type, context, this.own(), about),
      (result) => resultAttributes(type, result),
    );
  };

  startChildWorkflowExecution: NonNullable<WorkflowOutboundCallsInterceptor['startChildWorkflowExecution']> = (
    input,
    next,
  ) => next({ ...input, headers: headersFor(input.headers, this.own()) });

  /** Later executions of a chain are siblings below the first. */
  continueAsNew: NonNullable<WorkflowOutboundCallsInterceptor['continueAsNew']> = (input, next) => {
    const isFirst = workflowInfo().continuedFromExecutionRunId === undefined;
    const first = isFirst ? this.own() : (this.parent ?? this.own());
    return next({ ...input, headers: headersFor(input.headers, first) });
  };

  private own(): TraceContext {
    this.begun ??= executionContext(this.parent);
    return this.begun;
  }
}

type End = (attributes: SpanAttributes, failure?: string) => void;

/** Starts a span and returns the function that ends it. */
function span(type: string, context: TraceContext, parent: TraceContext | undefined, about: SpanAttributes): End {
  const startedAt = workflowNow();
  const { traceId, spanId, sampled } = context;
  return (attributes, failure) => {
    if (!sampled) return;
    proxySinks<TraceSinks>().batonTraces.finished({
      name: spanNames[type] ?? `baton.${type}`,
      traceId,
      spanId,
      ...(parent === undefined ? {} : { parentSpanId: parent.spanId }),
      startedAt,
      endedAt: workflowNow(),
      attributes: { ...about, ...attributes },
      ...(failure === undefined ? {} : { failure }),
    });
  };
}

/** Ends a span with its work. Returns the original promise, so that tracing doesn't change when the caller resumes. */
function watched<T>(work: Promise<T>, end: End, describe: (result: T) => SpanAttributes): Promise<T> {
  work.then(
    (result) => {
      end({ 'baton.outcome': 'completed', ...describe(result) });
    },
    (error: unknown) => {
      if (error instanceof ContinueAsNew) end({ 'baton.outcome': 'continued' });
      else if (isCancellation(error)) end({ 'baton.outcome': 'cancelled' });
      else end({ 'baton.outcome': 'failed' }, rootCause(error).type ?? 'Unknown');
    },
  );
  return work;
}
