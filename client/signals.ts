import { CliError, exitCodes } from './cli';

/** Calls back once for SIGINT or SIGTERM, and keeps them from ending the process until the returned function is called. */
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

/** Waits for the work unless a signal comes first: then throws, so that what was set up is taken down on the way out. */
export async function unlessStopped<T>(work: Promise<T>, message: string): Promise<T> {
  let release = (): void => undefined;
  const stopped = new Promise<never>((_, reject) => {
    release = onStopSignal(() => {
      reject(new CliError(exitCodes.interrupted, message));
    });
  });
  // What is left behind may still fail, and nobody listens any more.
  work.catch(() => undefined);
  try {
    return await Promise.race([work, stopped]);
  } finally {
    release();
  }
}

/** For what must be taken down again once it is up: a signal that comes meanwhile waits for that, a second one doesn't. */
export async function settingUp<T>(
  work: Promise<T>,
  takeDown: (made: T) => Promise<void> | undefined,
  warn: (line: string) => void,
): Promise<T> {
  const stop = { asked: false };
  const release = onStopSignal(() => {
    stop.asked = true;
    release();
    warn('Stopping as soon as what is being started can be stopped. Once more to leave it.');
  });
  try {
    const made = await work;
    if (!stop.asked) return made;
    await takeDown(made);
  } finally {
    release();
  }
  throw new CliError(exitCodes.interrupted, 'Stopped.');
}
