import type { TelemetryOptions } from '@temporalio/worker';
import { createServer, isIP } from 'node:net';
import { z } from 'zod';
import { errorReason } from '../dev-server/processes';
import { InvalidSettingError } from './setup-error';

/**
 * Runtime options that serve Temporal's and Baton's metrics for Prometheus at this address; none without an address.
 */
export async function metricsAt(address: string | undefined): Promise<Pick<TelemetryOptions, 'metrics'>> {
  if (address === undefined) return {};
  const where = splitAddress(address);
  if (where !== undefined) await requireFree(address, where);
  return { metrics: { prometheus: { bindAddress: address } } };
}

/**
 * Checks in advance that the address is free, because the runtime's own error names neither the setting nor the
 * address.
 */
function requireFree(address: string, { host, port }: ListenAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error) => {
      reject(
        new InvalidSettingError(
          'BATON_METRICS_ADDRESS',
          `can't listen on ${address} (${errorReason(error)})`,
          'Set BATON_METRICS_ADDRESS to an address of this machine with a free port (a different port for each worker), or unset it.',
        ),
      );
    });
    probe.listen({ host, port, exclusive: true }, () => {
      probe.close(() => {
        resolve();
      });
    });
  });
}

/** Validates an address to listen on. The runtime requires an IP address, not a host name. */
export const listenAddress = {
  allowed: 'an IP address and a port, such as 127.0.0.1:9464',
  schema: z.string().refine((text) => splitAddress(text) !== undefined),
};

/** An IP address and a port. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** Parses `host:port`, with IPv6 hosts in brackets; undefined when the text is not a valid address. */
export function splitAddress(text: string): ListenAddress | undefined {
  const [, v6, v4, digits] = /^(?:\[([\da-f:.]+)\]|([\d.]+)):(\d{1,5})$/i.exec(text) ?? [];
  const host = v6 ?? v4 ?? '';
  const port = Number(digits);
  if (isIP(host) === 0 || port < 1 || port > 65_535) return undefined;
  return { host, port };
}

/**
 * Returns the URL for traces from OpenTelemetry's own variables: the one for traces, otherwise `/v1/traces` below the
 * one for all signals.
 */
export function tracesUrl(forTraces: string | undefined, forAll: string | undefined): string | undefined {
  if (forTraces !== undefined) return forTraces;
  return forAll === undefined ? undefined : `${forAll.replace(/\/+$/, '')}/v1/traces`;
}
