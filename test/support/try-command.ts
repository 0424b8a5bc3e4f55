import type { Command } from 'commander';
import type { Terminal } from '../../cli/context';
import { recordTerminal } from './recorded-terminal';

export interface Outcome {
  readonly out: string;
  readonly warnings: readonly string[];
  readonly error: unknown;
}

/** Runs a command that needs only a terminal, and records its output. */
export async function tryCommand(make: (terminal: Terminal) => Command, args: readonly string[]): Promise<Outcome> {
  const { terminal, out, err } = recordTerminal();
  const command = make(terminal);
  for (const one of [command, ...command.commands]) one.exitOverride();
  const error: unknown = await command
    .parseAsync(args, { from: 'user' })
    .then(() => undefined)
    .catch((reason: unknown) => reason);
  return { out: linesOf(out()).join('\n'), warnings: linesOf(err()), error };
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
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
