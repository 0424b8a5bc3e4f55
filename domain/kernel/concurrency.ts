/** Runs at most `max` tasks concurrently, first come, first served. */
export class ConcurrencyLimit {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly max: number) {}

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.running >= this.max) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.running += 1;
    try {
      return await work();
    } finally {
      // The slot passes directly to the next waiting task, so a later one cannot take it in between.
      const next = this.waiting.shift();
      if (next) next();
      else this.running -= 1;
    }
  }
}

/** Like `Promise.all`, but throws only when none is running any more. */
export async function allEnded<T extends readonly Promise<unknown>[]>(
  running: readonly [...T],
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(running);
  return Promise.all(running);
}

/**
 * Like `Promise.all` over a map, but runs at most `max` tasks concurrently, and throws only when none is running any
 * more.
 */
export async function mapWithLimit<T, R>(
  items: readonly T[],
  max: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const limit = new ConcurrencyLimit(max);
  return allEnded(items.map((item) => limit.run(() => work(item))));
}

/**
 * Processes the items, at most `max` concurrently. After a failure it starts no further item, and rejects when none is
 * running any more.
 */
export async function forEachWithLimit<T>(
  items: Iterable<T>,
  max: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items[Symbol.iterator]();
  let failed = false;
  const worker = async (): Promise<void> => {
    for (let next = queue.next(); next.done !== true && !failed; next = queue.next()) {
      await work(next.value).catch((error: unknown) => {
        failed = true;
        throw error;
      });
    }
  };
  const workers = Array.from({ length: max }, worker);
  await Promise.allSettled(workers);
  await Promise.all(workers);
}
