import { cpuTimeOf } from '../../support/cpu-time';

/** Four times the input of linear work takes four times as long, of quadratic work sixteen times. */
const largestRatio = 9;
const attempts = 4;
/** Shorter times are mostly noise, so the input is enlarged until it takes this long, in milliseconds. */
const leastMs = 20;

/**
 * Throws if the processor time of the work grows with the square of the size. Measures again if it seems to, because a
 * garbage collection may be in the way.
 */
export async function expectNotQuadratic(
  size: number,
  workOf: (size: number) => () => unknown,
  largestSize = 200_000,
): Promise<void> {
  let base = size;
  let small = await timeOf(workOf(base));
  while (small < leastMs && base < largestSize) {
    base *= 2;
    small = await timeOf(workOf(base));
  }
  // Four times as much would not take long either, even if its time grew with the square.
  if (small < leastMs) return;
  const ratios: number[] = [];
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const ratio = (await timeOf(workOf(4 * base))) / Math.max(small, 1);
    if (ratio <= largestRatio) return;
    ratios.push(ratio);
    small = await timeOf(workOf(base));
  }
  const seen = ratios.map((ratio) => ratio.toFixed(1)).join(', ');
  throw new Error(`Four times the input of size ${base} took ${seen} times as long.`);
}

/** The shorter of two measurements, after which the code is compiled. */
async function timeOf(work: () => unknown): Promise<number> {
  return Math.min(await cpuTimeOf(work), await cpuTimeOf(work));
}
