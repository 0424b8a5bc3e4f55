import { context, type Context, type ContextManager, propagation, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { CompositePropagator, W3CBaggagePropagator, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { ActivityInterceptorsFactory, InjectedSinks } from '@temporalio/worker';
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { runIdOf } from '../../domain/kernel';
import type { TraceSinks } from '../../temporal-config/names';
import { traceAttempts } from './telemetry-attempts';
import { contentAttributes, type ContentSource } from './telemetry-contents';
import { reportExportFailures, toReadableSpan } from './telemetry-export';

/** The parts of a worker that tracing consists of. */
export interface Traces {
  /** Receives spans from workflow code. `source` is used only if contents are recorded. */
  sinks(source: ContentSource): InjectedSinks<TraceSinks>;
  /** Creates the span of each activity attempt. */
  readonly activity: ActivityInterceptorsFactory;
  /**
   * Paths of workflow interceptors. They are part of the prebuilt traced bundle, or are added when the worker bundles.
   */
  readonly workflowModules: readonly string[];
  /** Sends the remaining spans, but gives up after a few seconds. Call it after the worker has stopped. */
  close(): Promise<void>;
}

/** Options of traces. */
export interface TraceOptions {
  /** Whether spans contain what users, models and tools wrote, without secrets and cut. Default: false. */
  readonly contents?: boolean;
}

/** Sends traces by OTLP over HTTP. The exporter reads headers for the collector from OTEL_EXPORTER_OTLP_HEADERS. */
export function openOtlpTraces(url: string, log: (line: string) => void, options: TraceOptions = {}): Traces {
  return openTraces(reportExportFailures(new OTLPTraceExporter({ url, timeoutMillis: 5_000 }), url, log), options);
}

/** Sends traces to any exporter. The first one opened in a process also exports the spans that tools create. */
function openTraces(exporter: SpanExporter, { contents = false }: TraceOptions): Traces {
  // Names from the environment (OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES) take precedence over this default.
  const resource = defaultResource()
    .merge(resourceFromAttributes({ 'service.name': 'baton-worker' }))
    .merge(detectResources({ detectors: [envDetector] }));
  const processor = new BatchSpanProcessor(exporter, { scheduledDelayMillis: 1_000 });
  const provider = new BasicTracerProvider({ resource, spanProcessors: [processor] });
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(new AsyncContext());
  propagation.setGlobalPropagator(
    new CompositePropagator({ propagators: [new W3CTraceContextPropagator(), new W3CBaggagePropagator()] }),
  );
  const tracer = provider.getTracer('baton');
  return {
    sinks: (source) => ({
      batonTraces: {
        finished: {
          fn: async (info, span) => {
            const more = contents ? await contentAttributes(source, runIdOf(info.workflowId) ?? '', span) : {};
            processor.onEnd(toReadableSpan(info, { ...span, attributes: { ...span.attributes, ...more } }, resource));
          },
        },
      },
    }),
    activity: (activity) => traceAttempts(activity, tracer),
    workflowModules: [require.resolve('../../workflows/trace/interceptors')],
    close: () => within(closingMs, provider.shutdown()),
  };
}

/** Maximum milliseconds to wait for the remaining spans. */
const closingMs = 3_000;

/** Limits the wait, because a collector that doesn't respond must not delay a worker's shutdown. */
async function within(limitMs: number, work: Promise<void>): Promise<void> {
  const done = new AbortController();
  const limit = sleep(limitMs, undefined, { signal: done.signal });
  await Promise.race([work.catch(() => undefined), limit]);
  done.abort();
}

/** Keeps the current span across asynchronous calls, so that a tool's own spans are children of its call's span. */
class AsyncContext implements ContextManager {
  private readonly storage = new AsyncLocalStorage<Context>();

  active(): Context {
    return this.storage.getStore() ?? ROOT_CONTEXT;
  }

  with<A extends unknown[], F extends (...args: A) => ReturnType<F>>(
    context: Context,
    work: F,
    thisArg?: ThisParameterType<F>,
    ...args: A
  ): ReturnType<F> {
    return this.storage.run<ReturnType<F>, []>(context, () => work.call(thisArg, ...args));
  }

  bind<T>(context: Context, target: T): T {
    if (typeof target !== 'function') return target;
    const call = target as (...args: unknown[]) => unknown;
    return ((...args: unknown[]) => this.storage.run(context, () => call(...args))) as T;
  }

  enable(): this {
    return this;
  }

  disable(): this {
    this.storage.disable();
    return this;
  }
}
