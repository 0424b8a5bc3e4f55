import type { Payload } from '@temporalio/common';
import { type Headers, workflowInfo } from '@temporalio/workflow';
import { callModelActivity, executeToolActivity } from '../../domain/agent';
import { sha256Hex } from '../../domain/kernel';
import { type SpanAttributes, traceHeader } from '../../temporal-config/names';
import { payloadConverter } from '../payload-converter';

/** Candidates for span attributes: names and numbers, never text that users or models wrote. */
type Facts = Readonly<Record<string, unknown>>;

/** Attributes of an execution, read from its input. A client may start one with any input. */
export function executionAttributes(start: unknown): SpanAttributes {
  const { runId, delegationId, depth, promptNs, promptKey, model } = facts(start);
  return present({
    'baton.run_id': runId,
    'baton.delegation_id': delegationId,
    'baton.depth': depth,
    'baton.prompt':
      typeof promptNs === 'string' && typeof promptKey === 'string' ? `${promptNs}/${promptKey}` : undefined,
    'baton.model': facts(model)['name'],
  });
}

/** Attributes of an activity, read from its input. */
export function activityAttributes(type: string, input: unknown): SpanAttributes {
  const { identity, call } = facts(input);
  if (type === callModelActivity.name) {
    const { call: index } = facts(identity);
    return present({ 'baton.turn': typeof index === 'number' ? index + 1 : undefined });
  }
  if (type !== executeToolActivity.name) return {};
  const { name, id } = facts(call);
  return present({ 'baton.tool': name, 'baton.tool_call_id': id });
}

/** Attributes of an activity, read from its result. */
export function resultAttributes(type: string, result: unknown): SpanAttributes {
  const { usage, stopReason, outcome } = facts(result);
  if (type === executeToolActivity.name) return present({ 'baton.tool_error': facts(outcome)['isError'] });
  if (type !== callModelActivity.name) return {};
  const { input, output, cacheRead, cacheWrite } = facts(usage);
  return present({
    'baton.stop_reason': stopReason,
    'baton.tokens.input': input,
    'baton.tokens.output': output,
    'baton.tokens.cache_read': cacheRead,
    'baton.tokens.cache_write': cacheWrite,
  });
}

/** Returns the fields of an object, and none of any other value. */
function facts(value: unknown): Facts {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function present(attributes: Facts): SpanAttributes {
  const isPlain = (value: unknown): value is string | number | boolean =>
    typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  const kept = Object.entries(attributes).flatMap(([name, value]) => (isPlain(value) ? [[name, value] as const] : []));
  return Object.fromEntries(kept);
}

/** Identifies a span for the spans below it. */
export interface TraceContext {
  readonly traceId: string;
  readonly spanId: string;
  /** Whether the trace is recorded, as its first span decided. */
  readonly sampled: boolean;
}

/** Reads the span under which this execution was started; undefined when its starter does not trace. */
export function contextIn(headers: Headers): TraceContext | undefined {
  const payload = headers[traceHeader];
  if (payload === undefined) return undefined;
  const { traceparent } = facts(payloadConverter.fromPayload(payload));
  const [, traceId, spanId, flags] = /^00-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})$/.exec(String(traceparent)) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return { traceId, spanId, sampled: parseInt(flags, 16) % 2 === 1 };
}

/** Adds a span to headers, as the parent of what they are sent with. */
export function headersFor(headers: Headers, { traceId, spanId, sampled }: TraceContext): Headers {
  const traceparent = `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`;
  const payload: Payload = payloadConverter.toPayload({ traceparent });
  return { ...headers, [traceHeader]: payload };
}

/**
 * Returns the span of the current execution. Its ids are derived from Temporal's: a replay and another worker compute
 * the same ones, tracing draws none of the workflow's random numbers, and a run's trace can be found by its first
 * execution id.
 */
export function executionContext(parent: TraceContext | undefined): TraceContext {
  const { firstExecutionRunId, runId } = workflowInfo();
  return {
    traceId: parent?.traceId ?? firstExecutionRunId.replaceAll('-', ''),
    spanId: spanIdOf(runId),
    sampled: parent?.sampled ?? true,
  };
}

/** Returns the span of an activity of the current execution. */
export function activityContext({ traceId, sampled }: TraceContext, seq: number): TraceContext {
  return { traceId, sampled, spanId: spanIdOf(`${workflowInfo().runId}/${seq}`) };
}

function spanIdOf(identity: string): string {
  return sha256Hex(identity).slice(0, 16);
}
