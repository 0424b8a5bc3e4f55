import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { workflowInfo, type Headers } from '@temporalio/workflow';
import { sha256Hex } from '../domain/hash';
import { traceHeader } from '../temporal-config/telemetry';

/** Names a span for those below it. */
export interface TraceContext {
  readonly traceId: string;
  readonly spanId: string;
  /** Whether whoever began the trace wants it recorded. */
  readonly sampled: boolean;
}

/** The span under which this execution was started, if its starter traces. */
export function contextIn(headers: Headers): TraceContext | undefined {
  const payload = headers[traceHeader];
  if (payload === undefined) return undefined;
  const carrier: unknown = defaultPayloadConverter.fromPayload(payload);
  const { traceparent } = Object(carrier) as Readonly<Record<string, unknown>>;
  const [, traceId, spanId, flags] = /^00-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})$/.exec(String(traceparent)) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return { traceId, spanId, sampled: parseInt(flags, 16) % 2 === 1 };
}

export function headersFor(headers: Headers, { traceId, spanId, sampled }: TraceContext): Headers {
  const traceparent = `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`;
  const payload: Payload = defaultPayloadConverter.toPayload({ traceparent });
  return { ...headers, [traceHeader]: payload };
}

/**
 * Ids are made from Temporal's own: a replay and another worker arrive at the same ones, workflow code's random numbers
 * stay as they are without traces, and the trace of a run can be found by its first run id.
 */
export function executionContext(parent: TraceContext | undefined): TraceContext {
  const { firstExecutionRunId, runId } = workflowInfo();
  return {
    traceId: parent?.traceId ?? firstExecutionRunId.replaceAll('-', ''),
    spanId: spanIdOf(runId),
    sampled: parent?.sampled ?? true,
  };
}

export function activityContext({ traceId, sampled }: TraceContext, seq: number): TraceContext {
  return { traceId, sampled, spanId: spanIdOf(`${workflowInfo().runId}/${seq}`) };
}

function spanIdOf(identity: string): string {
  return sha256Hex(identity).slice(0, 16);
}
