import type { SpanExporter } from '@opentelemetry/sdk-trace-base';

/** Reports once that spans are lost, and once that they are sent again. Runs are not affected. */
export function reportExportFailures(exporter: SpanExporter, url: string, say: (line: string) => void): SpanExporter {
  let isFailing = false;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const failed = result.error !== undefined;
        if (failed && !isFailing) {
          const reason = result.error?.message || result.error?.name || 'no reason given';
          say(
            `Traces can't be sent to ${url} (${reason}) and are lost. Check that an OTLP collector accepts HTTP there.`,
          );
        }
        if (!failed && isFailing) say(`Traces are being sent to ${url} again.`);
        isFailing = failed;
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  };
}
