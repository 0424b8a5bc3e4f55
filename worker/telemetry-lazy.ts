import type { Traces } from './telemetry';

/**
 * Sends traces by OTLP over HTTP to a collector at `url`. Pass the result as the worker option `traces`, and call its
 * `close` after the worker has stopped. `say` is called when sending starts to fail, and when it works again.
 * OpenTelemetry is loaded only here, so that a worker without traces does not wait for it.
 */
export async function traceTo(url: string, say: (line: string) => void): Promise<Traces> {
  const telemetry = await import('./telemetry.js');
  return telemetry.traceTo(url, say);
}
