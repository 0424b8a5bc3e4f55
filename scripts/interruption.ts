/** Watches for SIGINT and SIGTERM while a script works. */
export interface Interruption {
  /** Aborted when the first signal has come. */
  readonly signal: AbortSignal;
  /** Resolves when the first signal has come. */
  readonly came: Promise<void>;
  /** Ends the watch, so that a signal ends the process at once. */
  release(): void;
}

/** Exit code of a script that was interrupted, whatever it had found out by then. */
export const interruptedCode = 130;

/**
 * npm sends a signal to its script that the terminal has already sent to both. Such a repetition comes at once, so only a
 * signal after this time is another one.
 */
const repetitionMs = 1_000;

/** Begins to watch. The first signal asks the script to clean up; another one ends the process at once. */
export function watchInterruption(say: (line: string) => void): Interruption {
  const controller = new AbortController();
  const { signal } = controller;
  let since = 0;
  const listener = (): void => {
    if (signal.aborted) {
      if (Date.now() - since > repetitionMs) process.exit(interruptedCode);
      return;
    }
    since = Date.now();
    say('stopping; another signal ends this process at once, and may leave processes and data');
    controller.abort();
  };
  process.on('SIGINT', listener).on('SIGTERM', listener);
  return {
    signal,
    came: new Promise((resolve) => {
      signal.addEventListener('abort', () => {
        resolve();
      });
    }),
    release: () => void process.off('SIGINT', listener).off('SIGTERM', listener),
  };
}
