import { NativeConnection } from '@temporalio/worker';
import type { ResolvedConnection } from './connection';
import { connectionFailed, requireLocalListener } from './connection-failure';

const connectLimitMs = 8_000;

/** The connection a worker polls over. Apart from the client's, because its native library takes a while to load. */
export async function connectWorker(
  target: ResolvedConnection,
  limitMs: number = connectLimitMs,
): Promise<NativeConnection> {
  await requireLocalListener(target);
  const connecting = NativeConnection.connect(target.connectionOptions);
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`no answer within ${limitMs / 1000} s`));
    }, limitMs);
  });
  try {
    return await Promise.race([connecting, limit]);
  } catch (error) {
    // The library can't be told to give up; if it gets through after all, nobody wants the connection any more.
    void connecting.then(
      (late) => late.close(),
      () => undefined,
    );
    throw await connectionFailed(target, error);
  } finally {
    clearTimeout(timer);
  }
}
