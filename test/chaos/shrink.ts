import { planRound, playRound, type RoundPlan } from './play-round';
import type { ChaosOptions } from './options';
import type { Sessions } from './session/sessions';

/**
 * Looks for fewer faults with which a round still fails: leaves one out after the other, and keeps those without which it
 * is good. Returns the positions of the faults that are left. One try each: what depends on the moment may get away.
 */
export async function shrink(
  { seed, strikes }: RoundPlan,
  options: ChaosOptions,
  sessions: Sessions,
): Promise<number[]> {
  let left = options.only === undefined ? strikes.map((_, index) => index + 1) : [...options.only];
  for (const position of [...left]) {
    if (left.length === 1) break;
    const fewer = left.filter((each) => each !== position);
    if (await fails(seed, { ...options, only: fewer }, sessions)) left = fewer;
  }
  return left;
}

async function fails(seed: number, options: ChaosOptions, sessions: Sessions): Promise<boolean> {
  const session = await sessions.open();
  try {
    return (await playRound(session, planRound(session, seed, options))).violations.length > 0;
  } finally {
    await session.close();
  }
}
