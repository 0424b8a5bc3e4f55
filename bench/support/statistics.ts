/** Returns the median: the mean of the two in the middle for an even number of values. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2;
}

/** Measures the duration of `work` in seconds. */
export async function seconds(work: () => Promise<unknown>): Promise<number> {
  const start = process.hrtime.bigint();
  await work();
  return Number(process.hrtime.bigint() - start) / 1e9;
}

/** How long some work took on the clock, and how much processor time it took of the worker and the server. */
export interface Taken {
  readonly seconds: number;
  readonly cpuSeconds: number;
}

/** Measures some work. */
export async function taken(
  { cpuSeconds }: { readonly cpuSeconds: () => number },
  work: () => Promise<unknown>,
): Promise<Taken> {
  const before = cpuSeconds();
  const took = await seconds(work);
  return { seconds: took, cpuSeconds: cpuSeconds() - before };
}

/** Returns the value below which this part of the values lies. */
export function quantile(values: readonly number[], part: number): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length * part)] ?? 0;
}
