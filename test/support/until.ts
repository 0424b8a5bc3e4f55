import { setTimeout as pause } from 'node:timers/promises';

/** Polls until there is a value, for at most a minute. */
export async function until<T>(look: () => Promise<T | undefined> | T | undefined): Promise<T> {
  const end = Date.now() + 60_000;
  while (Date.now() < end) {
    const found = await look();
    if (found !== undefined) return found;
    await pause(50);
  }
  throw new Error(`Waited in vain for: ${look.toString()}`);
}
