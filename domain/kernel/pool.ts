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
