/** For how long a result is shared. */
export interface SharedFor {
  /** Shortest time, in milliseconds. Default: 1,000. */
  readonly leastMs?: number;
  /** Time as a multiple of what the read took. Default: 1, so that at most half of the time is spent with it. */
  readonly ratio?: number;
}

/**
 * Shares the result of a read that takes long among all who ask for it at about the same time, and for a while after, such
 * as those who ask for every agent of a large run.
 */
export class SharedRead<T> {
  private latest: { readonly result: Promise<T>; until: number } | undefined;

  constructor(
    private readonly read: () => Promise<T>,
    private readonly sharedFor: SharedFor = {},
  ) {}

  get(): Promise<T> {
    if (this.latest === undefined || Date.now() > this.latest.until) this.latest = this.begin();
    return this.latest.result;
  }

  private begin(): { readonly result: Promise<T>; until: number } {
    const { leastMs = 1_000, ratio = 1 } = this.sharedFor;
    const from = Date.now();
    const latest = { result: this.read(), until: Infinity };
    latest.result.then(
      () => {
        const now = Date.now();
        latest.until = now + Math.max(leastMs, ratio * (now - from));
      },
      // A failed read is repeated at the next look.
      () => {
        latest.until = 0;
      },
    );
    return latest;
  }
}
