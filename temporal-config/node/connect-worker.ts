import { NativeConnection } from '@temporalio/worker';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ResolvedConnection } from './connection';
import { connectionFailed, requireLocalListener } from './connection-failure';
import { isNear } from './near-address';

const connectLimitMs = 8_000;

/**
 * Opens the connection that a worker polls over. It is in a separate file from the client's because its native library
 * is slow to load.
 */
export async function connectWorker(
  target: ResolvedConnection,
  limitMs: number = connectLimitMs,
): Promise<NativeConnection> {
  await requireLocalListener(target);
  const { connectionOptions } = target;
  const connecting = NativeConnection.connect({
    ...connectionOptions,
    // Compressing takes longer than sending when the server is near.
    ...(isNear(connectionOptions.address) ? { grpcCompression: { codec: 'none' } } : {}),
  });
  const settled = new AbortController();
  const limit = sleep(limitMs, undefined, { signal: settled.signal }).then(() => {
    throw new Error(`no response within ${limitMs / 1000} s`);
  });
  try {
    return await Promise.race([connecting, limit]);
  } catch (error) {
    // The attempt cannot be cancelled. If it succeeds after all, the connection is closed because it is no longer
    // needed.
    void connecting.then(
      (late) => late.close(),
      () => undefined,
    );
    throw await connectionFailed(target, error);
  } finally {
    settled.abort();
  }
}
