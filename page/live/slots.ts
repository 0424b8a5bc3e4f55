// Browsers open at most six connections to one server, for all tabs together. Streams of tabs share four slots, so that
// requests of every tab still get through.

/** Streams that all tabs together may have. */
const slots = 4;
const retryMs = 500;
const channel = new BroadcastChannel('baton');

/** Takes a free slot and returns how to give it back; undefined if there is none. */
function takeSlot(name: string): Promise<(() => void) | undefined> {
  return new Promise((resolve, reject) => {
    navigator.locks
      .request(name, { ifAvailable: true }, (lock) => {
        if (lock === null) {
          resolve(undefined);
          return undefined;
        }
        return new Promise<void>((release) => resolve(release));
      })
      .catch(reject);
  });
}

/** Waits for a slot, and asks hidden tabs to give theirs up. `onWait` is called each time there was none. */
export async function acquireSlot(signal: AbortSignal, onWait: () => void): Promise<() => void> {
  for (;;) {
    for (let index = 0; index < slots; index++) {
      signal.throwIfAborted();
      const release = await takeSlot(`baton-stream-${index}`);
      if (release === undefined) continue;
      if (signal.aborted) release();
      else return release;
    }
    channel.postMessage('slot wanted');
    onWait();
    await new Promise((resolve) => setTimeout(resolve, retryMs));
  }
}

/** Calls back when another tab needs a slot. */
export function onSlotWanted(listener: () => void): void {
  channel.addEventListener('message', listener);
}
