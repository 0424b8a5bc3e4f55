import { Command } from 'commander';
import { extractParent, PromptError } from '../../domain/prompt';
import type { Terminal } from '../context';
import { CliError, exitCodes } from '../context';
import { writeExactly } from './composed-output';

const help = `
Prints everything between the first START line and the last END line, byte for byte.

Examples:
  baton extract < prompt.md > parent.md                   print the prompt of the parent
  baton extract < prompt.md | baton extract               print the prompt of the parent's parent`;

/** `baton extract`: prints the parent prompt that a composed prompt contains. */
export function extractCommand(terminal: Terminal): Command {
  return new Command('extract')
    .description('print the parent prompt that a composed prompt on standard input contains')
    .addHelpText('after', help)
    .action(async () => {
      const prompt = await terminal.readStdin();
      writeExactly(terminal, extracted(prompt));
    });
}

function extracted(prompt: Uint8Array): Uint8Array {
  try {
    return extractParent(prompt);
  } catch (error) {
    if (!(error instanceof PromptError)) throw error;
    throw new CliError(exitCodes.misused, `The input contains no parent prompt: ${error.reason}`, error.remediation);
  }
}
