/** Shortest time for which a result is shared, in milliseconds. */
const leastMs = 1_000;

/**
 * Shares the result of a read that takes long among all who ask for it at about the same time, and for as long again as it
 * took. So those who ask for every agent of a large run spend at most half of their time with it.
 */
export class SharedRead<T> {
  private latest: { readonly result: Promise<T>; until: number } | undefined;

  constructor(private readonly read: () => Promise<T>) {}

  get(): Promise<T> {
    if (this.latest === undefined || Date.now() > this.latest.until) this.latest = this.begin();
    return this.latest.result;
  }

  private begin(): { readonly result: Promise<T>; until: number } {
    const from = Date.now();
    const latest = { result: this.read(), until: Infinity };
    latest.result.then(
      () => {
        const now = Date.now();
        latest.until = now + Math.max(leastMs, now - from);
      },
      // A failed read is repeated at the next look.
      () => {
        latest.until = 0;
      },
    );
    return latest;
  }
}
