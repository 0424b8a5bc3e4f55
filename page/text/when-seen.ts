const waiting = new WeakMap<Element, () => void>();
let observer: IntersectionObserver | undefined;

/** Calls `work` in idle time after the element has come near the screen. Returns a function that takes it back. */
export function whenSeen(element: Element, work: () => void): () => void {
  let idle: number | undefined;
  waiting.set(element, () => {
    idle = whenIdle(work);
  });
  observer ??= new IntersectionObserver(onSeen, { rootMargin: '200px' });
  observer.observe(element);
  return () => {
    waiting.delete(element);
    observer?.unobserve(element);
    if (idle !== undefined) cancelIdle(idle);
  };
}

function onSeen(entries: readonly IntersectionObserverEntry[]): void {
  for (const { target, isIntersecting } of entries) {
    if (!isIntersecting) continue;
    observer?.unobserve(target);
    waiting.get(target)?.();
    waiting.delete(target);
  }
}

// Safari has no idle callbacks.
const hasIdle = typeof requestIdleCallback === 'function';

/** Calls `work` when the page has nothing else to do, after half a second at the latest. */
export function whenIdle(work: () => void): number {
  return hasIdle ? requestIdleCallback(work, { timeout: 500 }) : setTimeout(work, 1);
}

function cancelIdle(handle: number): void {
  if (hasIdle) cancelIdleCallback(handle);
  else clearTimeout(handle);
}
