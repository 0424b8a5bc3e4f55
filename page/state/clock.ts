import { signal } from '@preact/signals';

let offset = 0;

/** The server's clock, in milliseconds since 1970. It advances once a second while the page is visible. */
export const now = signal(Date.now());

/** Sets the clock to the server's. */
export function setServerTime(time: number): void {
  offset = time - Date.now();
  now.value = time;
}

/** Starts the clock. A recorded page does not start it: its time is that of the recording. */
export function startClock(): void {
  setInterval(() => {
    if (!document.hidden) now.value = Date.now() + offset;
  }, 1_000);
}
