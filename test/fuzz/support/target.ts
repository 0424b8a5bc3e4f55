import fc from 'fast-check';
import { appendFileSync } from 'node:fs';
import { inspect } from 'node:util';

/** What an input led to: it was accepted, or refused in a way that is documented. Everything else is a defect. */
export type Outcome = 'accepted' | 'refused';

/** Something that reads what others send. */
export interface FuzzTarget<Input> {
  /** What is fuzzed, for the table. */
  readonly name: string;
  readonly input: fc.Arbitrary<Input>;
  /** Throws if the input does harm: an unexpected error, an output over its limit, something left behind. */
  run(input: Input): Outcome | Promise<Outcome>;
  /** Shares that must at least be accepted and refused; otherwise the generator misses what it should try. */
  readonly shares: Readonly<Record<Outcome, number>>;
  /** Cases in `npm test`. `BATON_FUZZ_CASES` overrides it. */
  readonly cases: number;
}

/** Longest time that one input may take, in milliseconds. Wide, because other programs run on the machine. */
const longestMs = 15_000;

/** Seed of all targets: `BATON_FUZZ_SEED`, or a random one. */
export const fuzzSeed = Number(process.env['BATON_FUZZ_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

/** Returns how many cases a target has: as many as `BATON_FUZZ_CASES` says, or its own number. */
export function casesOf(usual: number): number {
  return Number(process.env['BATON_FUZZ_CASES'] ?? usual);
}

/** Declares a test that tries a target with generated inputs. A failure prints the seed and the smallest input found. */
export function fuzz<Input>(target: FuzzTarget<Input>): void {
  const cases = casesOf(target.cases);
  test(`${target.name}: every input is accepted or refused, and none does harm (BATON_FUZZ_SEED=${fuzzSeed})`, async () => {
    const tally = new Tally();
    const property = fc.asyncProperty(target.input, async (input) => {
      await tally.time(() => target.run(input));
    });
    failIfFound(await fc.check(property, { numRuns: cases, seed: fuzzSeed }));
    report(target.name, tally);
    tally.requireShares(target.shares);
  }, 3_600_000);
}

/** Throws with the smallest input that did harm. fast-check itself can't print one that is nested deeply. */
function failIfFound<Input>({ failed, seed, counterexample, errorInstance }: fc.RunDetails<[Input]>): void {
  if (!failed) return;
  const input = inspect(counterexample?.[0], {
    depth: 8,
    maxStringLength: 2_000,
    maxArrayLength: 50,
    breakLength: 160,
  });
  const why = errorInstance instanceof Error ? (errorInstance.stack ?? errorInstance.message) : String(errorInstance);
  throw new Error(`With seed ${seed}, this input did harm: ${input}\n${why}`, { cause: errorInstance });
}

/** Counts the outcomes of a target. */
export class Tally {
  readonly counts: Record<Outcome, number> = { accepted: 0, refused: 0 };
  slowestMs = 0;

  /** Runs one case and counts it. Throws if it takes too long. */
  async time(run: () => Outcome | Promise<Outcome>): Promise<void> {
    const begun = performance.now();
    const outcome = await inTime(run());
    this.slowestMs = Math.max(this.slowestMs, performance.now() - begun);
    this.counts[outcome] += 1;
  }

  requireShares(shares: Readonly<Record<Outcome, number>>): void {
    const total = this.counts.accepted + this.counts.refused;
    for (const outcome of ['accepted', 'refused'] as const) {
      const count = this.counts[outcome];
      if (count < leastOf(total, shares[outcome]))
        throw new Error(`Only ${((count / total) * 100).toFixed(1)} % of ${total} inputs were ${outcome}.`);
    }
  }
}

/**
 * How many of some random inputs must have an outcome that such a share of all inputs has: four standard deviations less than
 * expected, because few inputs vary a lot, and at least one.
 */
function leastOf(total: number, share: number): number {
  const deviation = Math.sqrt(total * share * (1 - share));
  return Math.max(1, total * share - 4 * deviation);
}

async function inTime(running: Outcome | Promise<Outcome>): Promise<Outcome> {
  if (!(running instanceof Promise)) return running;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`It did not end within ${longestMs / 1_000} s.`));
    }, longestMs);
  });
  return Promise.race([running, late]).finally(() => {
    clearTimeout(timer);
  });
}

/** Writes a line of the table that `npm run fuzz` prints. */
export function report(name: string, { counts, slowestMs }: Pick<Tally, 'counts' | 'slowestMs'>): void {
  const file = process.env['BATON_FUZZ_REPORT'];
  const line = { name, ...counts, slowestMs: Math.round(slowestMs), seed: fuzzSeed };
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(line)}\n`);
}
