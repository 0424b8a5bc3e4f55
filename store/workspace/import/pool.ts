/** Works through the items, at most `max` at a time. After a failure no further one is begun, and none is still running. */
export async function forEachLimited<T>(
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
