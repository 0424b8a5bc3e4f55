import type { Command } from 'commander';
import type { Terminal } from '../../cli/context';

export interface Outcome {
  readonly out: string;
  readonly warnings: readonly string[];
  readonly error: unknown;
}

/** Runs a command that needs only a terminal, and records its output. */
export async function tryCommand(make: (terminal: Terminal) => Command, args: readonly string[]): Promise<Outcome> {
  const lines: string[] = [];
  const warnings: string[] = [];
  const terminal: Terminal = {
    print: (line) => void lines.push(line),
    write: () => undefined,
    note: (line) => void warnings.push(line),
    readStdin: () => Promise.resolve(new Uint8Array()),
    isInteractive: false,
  };
  const error: unknown = await make(terminal)
    .parseAsync(args, { from: 'user' })
    .then(() => undefined)
    .catch((reason: unknown) => reason);
  return { out: lines.join('\n'), warnings, error };
}

/** Returns the help of a command and its subcommands. */
export function helpsOf(make: (terminal: Terminal) => Command): string[] {
  const command = make({} as Terminal);
  return [command, ...command.commands].map((one) => {
    let help = '';
    one.configureOutput({ writeOut: (piece) => void (help += piece) }).outputHelp();
    return help;
  });
}
