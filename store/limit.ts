/** Lets at most `max` pieces of work run at a time; the others wait their turn. */
export class Limit {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly max: number) {}

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.running >= this.max) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.running += 1;
    try {
      return await work();
    } finally {
      // The place goes straight to the next in line, so nobody who comes later can slip in between.
      const next = this.waiting.shift();
      if (next) next();
      else this.running -= 1;
    }
  }
}

/** Like `Promise.all` over a map, with at most `max` at a time, and nothing still running when it throws. */
export async function mapLimited<T, R>(items: readonly T[], max: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const limit = new Limit(max);
  const results = items.map((item) => limit.run(() => work(item)));
  await Promise.allSettled(results);
  return Promise.all(results);
}
