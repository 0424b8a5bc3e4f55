/**
 * Returns the values of settled promises, or throws the first rejection in their order. Used after `Promise.allSettled`
 * instead of `Promise.all`, so that it throws only when nothing is running: a tool must not outlive its workflow.
 */
export function settledValues<T>(ended: readonly PromiseSettledResult<T>[]): T[] {
  return ended.map((one) => {
    if (one.status === 'rejected') throw one.reason;
    return one.value;
  });
}
