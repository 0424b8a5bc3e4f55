import type { Payload } from '@temporalio/common';
import { type Headers, workflowInfo } from '@temporalio/workflow';
import { sha256Hex } from '../../domain/kernel';
import { traceHeader } from '../../temporal-config/names';
import { payloadConverter } from '../payload-converter';
import { facts } from './facts';

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

/** Returns the span of a call that ran inside an activity of the current execution. */
export function callContext({ traceId, sampled }: TraceContext, seq: number, callId: string): TraceContext {
  return { traceId, sampled, spanId: spanIdOf(`${workflowInfo().runId}/${seq}/${callId}`) };
}

function spanIdOf(identity: string): string {
  return sha256Hex(identity).slice(0, 16);
}
