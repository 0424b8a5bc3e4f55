import { parseArgs } from 'node:util';
import type { Benchmark } from './benchmark';

/** How figures are printed. */
type Format = 'table' | 'json' | 'markdown';

/** What the command line asks for. */
export interface BenchArguments {
  readonly benchmarks: readonly Benchmark[];
  /** Whether a row of this name was asked for. */
  wants(name: string): boolean;
  readonly format: Format;
  readonly rounds: number | undefined;
  readonly quick: boolean;
  readonly counters: boolean;
}

/** A command line that can't be understood. */
export class UsageError extends Error {}

const options = {
  json: { type: 'boolean' },
  markdown: { type: 'boolean' },
  rounds: { type: 'string' },
  quick: { type: 'boolean' },
  counters: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** Parses the command line; undefined if it asks for help. Throws a `UsageError`. */
export function parseArguments(args: readonly string[], all: readonly Benchmark[]): BenchArguments | undefined {
  const { values, positionals } = parsed(args);
  if (values.help) return undefined;
  for (const name of positionals) {
    if (!namesOf(all).some((known) => isNamedBy(known, name))) {
      throw new UsageError(`Unknown benchmark "${name}". Available:\n${list(all)}`);
    }
  }
  if (values.json && values.markdown) throw new UsageError('Choose one of --json and --markdown.');
  const wants = (name: string): boolean =>
    positionals.length === 0 || positionals.some((given) => isNamedBy(name, given));
  return {
    benchmarks: all.filter(({ names, onlyByName }) =>
      positionals.length === 0 ? values.quick === true || onlyByName === undefined : names.some(wants),
    ),
    wants,
    format: values.json ? 'json' : values.markdown ? 'markdown' : 'table',
    rounds: roundsOf(values.rounds),
    quick: values.quick ?? false,
    counters: values.counters ?? false,
  };
}

/** Text of `--help`. */
export function help(all: readonly Benchmark[]): string {
  return `Usage: npm run -s bench -- [name…] [options]

Measures Baton against a baseline in the same run, and prints a table. Without names, it runs everything except what is
marked with *. The beginning of a name up to a dot selects all names that begin with it: "fanout" or "history".

  --json       Print an array of {name, value, unit, baseline, ratio, rounds, low, high}.
  --markdown   Write the table into docs/benchmarks.md, and that of other systems into docs/beside-others.md.
  --rounds N   Measure N pairs instead of the usual number. One more is played first and discarded.
  --quick      Only check that each benchmark runs. The figures mean nothing.
  --counters   With turns.single: also count events, file operations and promises per turn.

${list(all)}
`;
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : String(error)}\nTry: npm run -s bench -- --help`);
  }
}

function roundsOf(given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  if (!/^[1-9]\d{0,3}$/.test(given)) throw new UsageError(`--rounds must be a number from 1 to 9999, not "${given}"`);
  return Number(given);
}

function namesOf(all: readonly Benchmark[]): string[] {
  return all.flatMap(({ names }) => names);
}

/** Whether a name is the given one, or begins with it up to a dot. */
function isNamedBy(name: string, given: string): boolean {
  return name === given || name.startsWith(`${given}.`);
}

function list(all: readonly Benchmark[]): string {
  return all
    .map(({ names, about, onlyByName }) => `  ${names.join(', ')}${onlyByName ? ' *' : ''}\n      ${about}`)
    .join('\n');
}
