import { setTimeout as pause } from 'node:timers/promises';

const longestPauseMs = 250;

/**
 * Polls until there is a value, for at most two minutes unless told otherwise. Less and less often: what takes long may take
 * a little longer, and looking at it costs the tests beside it more than the pause.
 */
export async function until<T>(look: () => Promise<T | undefined> | T | undefined, limitMs = 120_000): Promise<T> {
  const end = Date.now() + limitMs;
  for (let pauseMs = 20; Date.now() < end; pauseMs = Math.min(pauseMs * 1.5, longestPauseMs)) {
    const found = await look();
    if (found !== undefined) return found;
    await pause(pauseMs);
  }
  throw new Error(`Waited in vain for: ${look.toString()}`);
}
