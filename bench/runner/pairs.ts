import type { BenchContext } from './benchmark';

/** Plays what is measured once, and returns its figures. */
export type Contender<M> = () => Promise<M>;

/** The figures of each contender, one per round. */
export type Measurements<K extends string, M> = Readonly<Record<K, readonly M[]>>;

/**
 * Plays all contenders in every round, in the opposite order every other round, so that other load on the machine
 * affects all of them equally. The first round warms up the code and is discarded, unless nothing is measured.
 */
export async function playRounds<K extends string, M>(
  { log, quick }: Pick<BenchContext, 'log' | 'quick'>,
  rounds: number,
  contenders: Readonly<Record<K, Contender<M>>>,
  describe: (figures: M) => string,
): Promise<Measurements<K, M>> {
  const names = Object.keys(contenders) as K[];
  const taken = Object.fromEntries(names.map((name) => [name, [] as M[]])) as Record<K, M[]>;
  for (let round = quick ? 1 : 0; round <= rounds; round += 1) {
    const figures = new Map<K, M>();
    for (const name of round % 2 === 0 ? names : [...names].reverse()) figures.set(name, await contenders[name]());
    log(
      `${round === 0 ? 'warm-up' : `round ${round} of ${rounds}`}: ` +
        names.map((name) => `${name} ${describe(figures.get(name)!)}`).join(', '),
    );
    if (round > 0) for (const name of names) taken[name].push(figures.get(name)!);
  }
  return taken;
}
