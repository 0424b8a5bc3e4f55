import type { ChaosOptions } from './options';
import type { RoundPlan } from './play-round';
import { repeatCommand } from './report';

/** Plays a round again with the faults at these positions. Returns whether it fails. */
type FailsWith = (only: readonly number[]) => Promise<boolean>;

/**
 * Looks for fewer faults with which a round still fails: leaves one out after the other, and keeps those without which it
 * is good. Returns the positions of the faults that are left. One try each: what depends on the moment may get away.
 */
export async function shrink(positions: readonly number[], failsWith: FailsWith): Promise<readonly number[]> {
  let left = positions;
  for (const position of positions) {
    if (left.length === 1) break;
    const fewer = left.filter((each) => each !== position);
    if (await failsWith(fewer)) left = fewer;
  }
  return left;
}

/** Says how to play a failed round again, then, if it has several faults, whether fewer of them are enough. */
export async function* explainFailure(
  { seed, strikes }: Pick<RoundPlan, 'seed' | 'strikes'>,
  options: ChaosOptions,
  failsWith: FailsWith,
): AsyncGenerator<string, void, undefined> {
  yield `Again: ${repeatCommand(options, seed, options.only)}`;
  if (strikes.length < 2) return;
  const positions = options.only ?? strikes.map((_, index) => index + 1);
  const left = await shrink(positions, failsWith);
  yield left.length === positions.length
    ? 'It did not fail with fewer of its faults.'
    : `It also fails with fewer faults: ${repeatCommand(options, seed, left)}`;
}
