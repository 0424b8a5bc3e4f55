import type { Traces } from './telemetry';

/**
 * Traces by OTLP over HTTP to a collector at this address. Loaded only when asked for: a worker without traces shouldn't
 * wait for OpenTelemetry.
 */
export async function traceTo(url: string, say: (line: string) => void): Promise<Traces> {
  const telemetry = await import('./telemetry.js');
  return telemetry.traceTo(url, say);
}
