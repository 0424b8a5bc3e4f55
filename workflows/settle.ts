/**
 * The results of work that has ended, or the first failure in its order. After `Promise.allSettled`, and so unlike
 * `Promise.all`, it throws only once nothing is running: a tool must not outlive the workflow that asked for it.
 */
export function valuesOf<T>(ended: readonly PromiseSettledResult<T>[]): T[] {
  return ended.map((one) => {
    if (one.status === 'rejected') throw one.reason;
    return one.value;
  });
}
