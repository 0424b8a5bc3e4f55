import { trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResourcesSync, envDetectorSync, Resource } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import {
  OpenTelemetryActivityInboundInterceptor,
  OpenTelemetryActivityOutboundInterceptor,
} from '@temporalio/interceptors-opentelemetry';
import type { ActivityInterceptorsFactory, InjectedSinks } from '@temporalio/worker';
import type { TraceSinks } from '../temporal-config/telemetry';
import { AsyncContext } from './telemetry-context';
import { tellingFailures } from './telemetry-exporter';
import { toReadableSpan } from './telemetry-spans';

/** What a worker needs in order to trace. */
export interface Traces {
  readonly sinks: InjectedSinks<TraceSinks>;
  readonly activity: ActivityInterceptorsFactory;
  /** Part of the workflow code: of the bundle that the build made for this, or of one that is made at the start. */
  readonly workflowModules: readonly string[];
  /** Sends what is left, as long as that doesn't take long. */
  close(): Promise<void>;
}

/** Traces by OTLP over HTTP. Headers for the collector come from OTEL_EXPORTER_OTLP_HEADERS, which the exporter reads. */
export function traceTo(url: string, say: (line: string) => void): Traces {
  return openTraces(tellingFailures(new OTLPTraceExporter({ url, timeoutMillis: 5_000 }), url, say));
}

/** Traces to any exporter. The first one of a process also serves the spans that tools make themselves. */
export function openTraces(exporter: SpanExporter): Traces {
  // Names that the environment gives (OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES) are stronger than ours.
  const named = new Resource({ 'service.name': 'baton-worker' });
  const resource = Resource.default()
    .merge(named)
    .merge(detectResourcesSync({ detectors: [envDetectorSync] }));
  const processor = new BatchSpanProcessor(exporter, { scheduledDelayMillis: 1_000 });
  const provider = new BasicTracerProvider({ resource, spanProcessors: [processor] });
  provider.register({ contextManager: new AsyncContext() });
  const tracer = provider.getTracer('baton');
  return {
    sinks: {
      batonTraces: {
        finished: {
          fn: (info, span) => {
            processor.onEnd(toReadableSpan(info, span, resource));
          },
        },
      },
    },
    activity: (context) => ({
      inbound: new ActivityAttempt(context, { tracer }),
      outbound: new OpenTelemetryActivityOutboundInterceptor(context),
    }),
    workflowModules: [require.resolve('../workflows/trace-interceptors')],
    close: () => within(closingMs, provider.shutdown()),
  };
}

/** One attempt at an activity: Temporal's own span, below the one that workflow code has for all attempts together. */
class ActivityAttempt extends OpenTelemetryActivityInboundInterceptor {
  override execute: OpenTelemetryActivityInboundInterceptor['execute'] = (input, next) =>
    super.execute(input, (passed) => {
      trace.getActiveSpan()?.setAttribute('baton.attempt', this.ctx.info.attempt);
      return next(passed);
    });
}

const closingMs = 3_000;

/** A collector that doesn't answer must not hold up a worker that wants to stop. */
async function within(limitMs: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs);
  });
  await Promise.race([work.catch(() => undefined), limit]);
  clearTimeout(timer);
}
