import { type Attributes, type HrTime, SpanKind, SpanStatusCode } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base';
import { genAi, genAiOperations } from '../../temporal-config/gen-ai';
import type { FinishedSpan } from '../../temporal-config/names';

/** Reports once that spans are lost, and once that they are sent again. Runs are not affected. */
export function reportExportFailures(exporter: SpanExporter, url: string, log: (line: string) => void): SpanExporter {
  let isFailing = false;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const failed = result.error !== undefined;
        if (failed && !isFailing) {
          const reason = result.error?.message || result.error?.name || 'no reason given';
          log(
            `Traces can't be sent to ${url} (${reason}) and are lost. Check that an OTLP collector accepts HTTP there.`,
          );
        }
        if (!failed && isFailing) log(`Traces are being sent to ${url} again.`);
        isFailing = failed;
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  };
}

/**
 * Converts a span that workflow code reported to the exporter's format. Attribute names match Temporal's interceptors.
 */
export function toReadableSpan(
  { workflowId, runId }: { readonly workflowId: string; readonly runId: string },
  span: FinishedSpan,
  resource: Resource,
): ReadableSpan {
  const start = Date.parse(span.startedAt);
  const end = Date.parse(span.endedAt);
  const { name, traceId, spanId, parentSpanId, failure } = span;
  return {
    name,
    kind: span.attributes[genAi.operation] === genAiOperations.chat ? SpanKind.CLIENT : SpanKind.INTERNAL,
    spanContext: () => ({ traceId, spanId, traceFlags: 1 }),
    ...(parentSpanId === undefined ? {} : { parentSpanContext: { traceId, spanId: parentSpanId, traceFlags: 1 } }),
    startTime: toHrTime(start),
    endTime: toHrTime(end),
    duration: toHrTime(end - start),
    ended: true,
    status: failure === undefined ? { code: SpanStatusCode.OK } : { code: SpanStatusCode.ERROR, message: failure },
    attributes: { ...attributesOf(span), temporalWorkflowId: workflowId, run_id: runId },
    links: [],
    events: [],
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
    resource,
    instrumentationScope: { name: 'baton' },
  };
}

/** Copies lists, which OpenTelemetry's types want to be mutable. */
function attributesOf({ attributes }: FinishedSpan): Attributes {
  const entries = Object.entries(attributes);
  return Object.fromEntries(entries.map(([name, value]) => [name, typeof value === 'object' ? [...value] : value]));
}

function toHrTime(milliseconds: number): HrTime {
  return [Math.floor(milliseconds / 1000), (milliseconds % 1000) * 1_000_000];
}
