import { isIP } from 'node:net';
import { z } from 'zod';

/** Where to listen. The runtime wants an address, not a name. */
export const listenAddress = {
  allowed: 'an IP address and a port, such as 127.0.0.1:9464',
  schema: z.string().refine((text) => splitAddress(text) !== undefined),
};

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

export function splitAddress(text: string): ListenAddress | undefined {
  const [, v6, v4, digits] = /^(?:\[([\da-f:.]+)\]|([\d.]+)):(\d{1,5})$/i.exec(text) ?? [];
  const host = v6 ?? v4 ?? '';
  const port = Number(digits);
  if (isIP(host) === 0 || port < 1 || port > 65_535) return undefined;
  return { host, port };
}

/** What OpenTelemetry's own variables say: an address for traces, or one for everything, below which traces have a place. */
export function tracesUrl(forTraces: string | undefined, forAll: string | undefined): string | undefined {
  if (forTraces !== undefined) return forTraces;
  return forAll === undefined ? undefined : `${forAll.replace(/\/+$/, '')}/v1/traces`;
}
