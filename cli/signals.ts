import { CliError, exitCodes } from './context';

/**
 * Calls back once for SIGINT or SIGTERM, and keeps them from ending the process until the returned function is
 * called.
 */
export function onStopSignal(callback: (signal: NodeJS.Signals) => void): () => void {
  const signals: NodeJS.Signals[] = ['SIGINT', 'SIGTERM'];
  let called = false;
  const listener = (signal: NodeJS.Signals): void => {
    if (!called) callback(signal);
    called = true;
  };
  for (const signal of signals) process.on(signal, listener);
  return () => {
    for (const signal of signals) process.off(signal, listener);
  };
}

/** Waits for Ctrl-C, which is the normal way to end a server. */
export function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    const release = onStopSignal(() => {
      release();
      resolve();
    });
  });
}

/** Waits for the work. Throws if a signal comes first, so that `finally` blocks clean up. */
export async function untilInterrupted<T>(work: Promise<T>, message: string): Promise<T> {
  let release = (): void => undefined;
  const stopped = new Promise<never>((_, reject) => {
    release = onStopSignal(() => {
      reject(new CliError(exitCodes.interrupted, message));
    });
  });
  // The abandoned work may still fail; that must not become an unhandled rejection.
  work.catch(() => undefined);
  try {
    return await Promise.race([work, stopped]);
  } finally {
    release();
  }
}

/**
 * Waits for a setup that can only be undone once it is complete. A signal takes effect after that; a second one at
 * once.
 */
export async function finishSetupFirst<T>(
  work: Promise<T>,
  takeDown: (result: T) => Promise<void> | undefined,
  warn: (line: string) => void,
): Promise<T> {
  const stop = { asked: false };
  const release = onStopSignal(() => {
    stop.asked = true;
    release();
    warn('Stopping after startup has finished. Press Ctrl-C again to exit now and leave it running.');
  });
  try {
    const result = await work;
    if (!stop.asked) return result;
    await takeDown(result);
  } finally {
    release();
  }
  throw new CliError(exitCodes.interrupted, 'Stopped.');
}
