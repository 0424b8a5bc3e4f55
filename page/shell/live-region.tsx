import { signal } from '@preact/signals';
import type { VNode } from 'preact';

const text = signal('');
/** Shortest time between two announcements. */
const pauseMs = 5_000;
let last = -Infinity;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Announces a message to screen readers. Of several messages within 5 s, only the newest is announced. */
export function announce(message: string): void {
  clearTimeout(timer);
  const wait = Math.max(0, last + pauseMs - performance.now());
  timer = setTimeout(() => {
    last = performance.now();
    text.value = message;
  }, wait);
}

export function LiveRegion(): VNode {
  return (
    <div id="announcements" class="visually-hidden" role="status" aria-live="polite">
      {text.value}
    </div>
  );
}
