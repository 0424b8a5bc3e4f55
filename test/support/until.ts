import { setTimeout as pause } from 'node:timers/promises';

/** Polls until there is a value, for at most a minute unless told otherwise. */
export async function until<T>(look: () => Promise<T | undefined> | T | undefined, limitMs = 60_000): Promise<T> {
  const end = Date.now() + limitMs;
  while (Date.now() < end) {
    const found = await look();
    if (found !== undefined) return found;
    await pause(50);
  }
  throw new Error(`Waited in vain for: ${look.toString()}`);
}
