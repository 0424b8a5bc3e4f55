import { parseArgs } from 'node:util';
import { faults } from './faults/all';
import type { Fault } from './faults/fault';
import type { RoundOptions } from './play-round';

/** What to play. */
export interface ChaosOptions extends RoundOptions {
  readonly seed: number;
  readonly rounds: number;
  /** Whether more rounds are played after one that failed. */
  readonly keepGoing: boolean;
}

/** Says what is wrong with an argument. */
export class BadArgument extends Error {}

const defaults = { rounds: 10, agents: 8 };

export const help = `npm run chaos -- [options]

Plays trees of agents with a scripted model, disturbs them, and checks from outside that nothing was lost or done twice.
A seed decides the tree, the faults and their moments. What a process is doing at that moment depends on the machine.

  --seed <n>       seed of the first round; the others follow (default: from the clock)
  --rounds <n>     number of rounds (default: ${defaults.rounds})
  --faults <list>  kinds of faults, separated by commas, or "none" (default: all)
  --agents <n>     most agents of a tree (default: ${defaults.agents})
  --only <list>    positions of the faults of a round that are carried out, from 1 (default: all)
  --keep-going     go on after a round that failed
  --help           show this

Faults:
${[...faults.values()].map(({ name, summary }) => `  ${name.padEnd(20)} ${summary}`).join('\n')}

Exit codes: 0 all rounds were good, 1 a round failed, 2 wrong arguments.
`;

/** Reads the arguments. Returns 'help' if they ask for it, and throws a `BadArgument` if they are wrong. */
export function parseOptions(args: readonly string[]): ChaosOptions | 'help' {
  const values = parsed(args);
  if (values.help === true || values.faults === 'help') return 'help';
  return {
    seed: wholeNumber('seed', values.seed ?? String(Date.now() % 1_000_000), 0),
    rounds: wholeNumber('rounds', values.rounds ?? String(defaults.rounds), 1),
    maxAgents: wholeNumber('agents', values.agents ?? String(defaults.agents), 2, 30),
    faults: chosenFaults(values.faults),
    only: values.only?.split(',').map((position) => wholeNumber('only', position, 1)),
    keepGoing: values['keep-going'] === true,
  };
}

function parsed(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  const options = {
    seed: text,
    rounds: text,
    faults: text,
    agents: text,
    only: text,
    'keep-going': flag,
    help: flag,
  } as const;
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new BadArgument(error instanceof Error ? error.message : String(error));
  }
}

function chosenFaults(list: string | undefined): readonly Fault[] {
  if (list === undefined) return [...faults.values()];
  if (list === 'none') return [];
  return list.split(',').map((name) => {
    const fault = faults.get(name.trim());
    if (fault === undefined)
      throw new BadArgument(`--faults: "${name}" is not a fault. Use some of: ${[...faults.keys()].join(', ')}.`);
    return fault;
  });
}

function wholeNumber(option: string, value: string, min: number, max = 999_999_999): number {
  const number = Number(value);
  if (/^\d{1,9}$/.test(value) && number >= min && number <= max) return number;
  throw new BadArgument(`--${option} wants a whole number from ${min} to ${max}, not "${value}".`);
}
