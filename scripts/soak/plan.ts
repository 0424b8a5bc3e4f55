import { parseArgs } from 'node:util';

/** What a soak does. */
export interface SoakPlan {
  readonly minutes: number;
  /** Runs that are started per minute. */
  readonly rate: number;
  readonly workers: number;
  /** Minutes at the beginning that do not count: caches are filled, and nothing has been deleted yet. */
  readonly warmUp: number;
  /** How long the data of a run is kept after its end, in seconds. */
  readonly keep: number;
  /** File for every measurement, a line of JSON each. Undefined for none. */
  readonly out: string | undefined;
}

export const help = `Starts a Temporal server, workers and a scripted model, and keeps them busy: runs start at a steady rate, delegate,
wait for an operator, hand off, fail, are retried, cancelled and deleted. Memory, open files, the store and the server's
queues must stay level.

  --minutes <n>   how long runs are started (default: 10). With less than 5, levels are shown but not judged
  --rate <n>      runs per minute (default: 30)
  --warm-up <n>   minutes at the beginning that do not count (default: a tenth of the time)
  --workers <n>   worker processes (default: 2)
  --keep <n>      seconds until the data of a run that has ended is deleted (default: 30)
  --out <file>    also writes every measurement to this file, a line of JSON each

Exit codes: 0 if everything stayed level and every run ended as expected, 1 if not, 2 for an invalid option, 130 after
Ctrl-C.`;

/** An option that can't be used. */
export class InvalidOption extends Error {}

/** Reads the options. Returns undefined if help is wanted; throws an `InvalidOption`. */
export function planOf(args: readonly string[]): SoakPlan | undefined {
  const values = parsed(args);
  if (values.help === true) return undefined;
  const number = (name: NumberOption, usual: number, limits: Limits): number =>
    numberOf(name, values[name], usual, limits);
  const minutes = number('minutes', 10, { least: 0.1, most: 10_000 });
  return {
    minutes,
    warmUp: number('warm-up', minutes / 10, { least: 0, most: minutes / 2 }),
    rate: number('rate', 30, { least: 1, most: 600 }),
    workers: number('workers', 2, { least: 1, most: 16, isWhole: true }),
    keep: number('keep', 30, { least: 0, most: 86_400 }),
    out: values.out,
  };
}

type NumberOption = 'minutes' | 'warm-up' | 'rate' | 'workers' | 'keep';
type Options = Partial<Record<NumberOption | 'out', string>> & { help?: boolean };

function parsed(args: readonly string[]): Options {
  const text = { type: 'string' } as const;
  const options = {
    minutes: text,
    'warm-up': text,
    rate: text,
    workers: text,
    keep: text,
    out: text,
    help: { type: 'boolean', short: 'h' },
  } as const;
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new InvalidOption(error instanceof Error ? error.message : String(error));
  }
}

interface Limits {
  readonly least: number;
  readonly most: number;
  readonly isWhole?: boolean;
}

function numberOf(
  name: string,
  value: string | undefined,
  usual: number,
  { least, most, isWhole = false }: Limits,
): number {
  if (value === undefined) return usual;
  const number = /^\d{1,9}(\.\d{1,9})?$/.test(value) ? Number(value) : Number.NaN;
  if (number >= least && number <= most && (!isWhole || Number.isInteger(number))) return number;
  const kind = isWhole ? 'a whole number' : 'a number';
  throw new InvalidOption(`--${name} must be ${kind} from ${least} to ${most}, not "${value}".`);
}
