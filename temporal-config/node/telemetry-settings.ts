import { createServer } from 'node:net';
import type { TelemetryOptions } from '@temporalio/worker';
import { errorReason } from '../dev-server/run-command';
import { InvalidSettingError } from './setup-error';
import { splitAddress, type ListenAddress } from './telemetry-settings-merging';

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
