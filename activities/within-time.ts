/**
 * Does something with a signal that is aborted together with `signal`, or when the time is up. The timer and the listener
 * end with the work.
 *
 * `AbortSignal.any([signal, AbortSignal.timeout(ms)])` can't do this. Node.js keeps only weak references to what such a
 * signal is made from, so the timer is collected as garbage, and the time is never up; and as long as someone listens to it,
 * it is itself never collected, with everything that the listener holds.
 */
export async function withinTime<T>(
  signal: AbortSignal | undefined,
  ms: number,
  work: (stop: AbortSignal) => Promise<T>,
): Promise<T> {
  const own = new AbortController();
  const abort = (): void => {
    own.abort(signal?.reason);
  };
  const timer = setTimeout(() => {
    own.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
  }, ms);
  if (signal?.aborted === true) abort();
  else signal?.addEventListener('abort', abort, { once: true });
  try {
    return await work(own.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}
