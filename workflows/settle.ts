/** Like `Promise.all`, but throws only once nothing is running: a tool must not outlive the workflow that asked for it. */
export async function settleAll<T>(work: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(work);
  return Promise.all(work);
}
