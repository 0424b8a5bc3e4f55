import { parseArgs } from 'node:util';
import setUp from '../support/global-setup';
import tearDown from '../support/global-teardown';
import '../support/quiet-temporal';
import { playUndisturbed } from './play';
import { playRound, type Round } from './round';

interface Plan {
  readonly seed: number;
  readonly rounds: number;
}

/**
 * Runs rounds (`npm run chaos -- --seed 100 --rounds 20`). Prints a line per round with the seed that reproduces it,
 * and stops at the first failure.
 */
async function main({ seed, rounds }: Plan): Promise<boolean> {
  await setUp();
  try {
    const expected = await playUndisturbed();
    for (let index = 0; index < rounds; index += 1) {
      const round = await playRound(seed + index, expected);
      print(`${index + 1}/${rounds} ${describe(round)}`);
      if (round.violations.length === 0) continue;
      for (const violation of round.violations) print(`  ${violation}`);
      print(`  Again: npm run chaos -- --seed ${round.seed} --rounds 1`);
      return false;
    }
    return true;
  } finally {
    await tearDown();
  }
}

function describe({ seed, kills, calls, repeated, ms, violations }: Round): string {
  const moments = kills.map(({ call, afterMs }) => `call ${call} + ${afterMs} ms`).join(', ');
  const verdict = violations.length === 0 ? 'ok' : 'FAILED';
  return `seed ${seed}: killed at ${moments}; ${calls} calls, ${repeated} repeated; ${(ms / 1_000).toFixed(1)} s; ${verdict}`;
}

function planOf(args: string[]): Plan {
  const { values } = parseArgs({ args, options: { seed: { type: 'string' }, rounds: { type: 'string' } } });
  const seed = wholeNumber('seed', values.seed ?? String(Date.now() % 1_000_000));
  return { seed, rounds: wholeNumber('rounds', values.rounds ?? '4') };
}

function wholeNumber(name: string, value: string): number {
  if (/^\d{1,9}$/.test(value)) return Number(value);
  throw new Error(`--${name} wants a whole number, not "${value}"`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

Promise.resolve(process.argv.slice(2))
  .then(planOf)
  .then(main)
  .then((held) => {
    process.exitCode = held ? 0 : 1;
  })
  .catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exitCode = 1;
  });
