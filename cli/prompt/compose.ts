import { Command } from 'commander';
import { composePrompt, extractParent, PromptError, wrapPrompt } from '../../domain/prompt';
import { CliError, exitCodes, type Terminal } from '../context';
import { type ComposeOptions, platformSha256, printComposed, readDocument, readInput } from './composed-output';

const composeHelp = `
The input is one JSON document: the parent prompt with its section index, and a description of the delegation.
The fields are defined in docs/reference/compose-input.schema.json and explained in docs/prompts.md.

Examples:
  baton compose --input delegation.json                   print the prompt, byte for byte
  baton compose --input delegation.json --json            add its id, section paths and redactions
  baton compose --input - < delegation.json | baton extract   print the parent prompt again

If the prompt cannot be composed, the exit code is 2 and the message names the field and the remedy.`;

/** `baton compose`: composes the six-section prompt of a delegation, without a server. */
export function composeCommand(terminal: Terminal): Command {
  return new Command('compose')
    .description('compose the six-section prompt of a delegation from a JSON file')
    .requiredOption('--input <file>', 'JSON document; - reads standard input')
    .option('--json', 'print delegation id, prompt, size, section paths and redactions as JSON')
    .addHelpText('after', composeHelp)
    .action(async ({ input, json }: ComposeOptions) => {
      const document = await readDocument(terminal, input);
      printComposed(terminal, composePrompt(document, { sha256: platformSha256 }), json === true);
    });
}

const wrapHelp = `
The input is one JSON document: the parent prompt, and the four facts about the delegation.
The fields are defined in docs/reference/wrap-input.schema.json and explained in docs/prompts.md.

Examples:
  baton wrap --input delegation.json                      print the prompt, byte for byte
  baton wrap --input delegation.json --json               add its id and section paths
  baton wrap --input - < delegation.json | baton extract  print the parent prompt again

If the prompt cannot be wrapped, the exit code is 2 and the message names the field and the remedy.`;

/** `baton wrap`: wraps a parent prompt in a thin header, without a server. */
export function wrapCommand(terminal: Terminal): Command {
  return new Command('wrap')
    .description('wrap a parent prompt in the thin header of a delegation, from a JSON file')
    .requiredOption('--input <file>', 'JSON document; - reads standard input')
    .option('--json', 'print delegation id, prompt, size and section paths as JSON')
    .addHelpText('after', wrapHelp)
    .action(async ({ input, json }: ComposeOptions) => {
      const document = await readDocument(terminal, input);
      printComposed(terminal, wrapPrompt(document, { sha256: platformSha256 }), json === true);
    });
}

const extractHelp = `
Prints everything between the first START line and the last END line, byte for byte.

Examples:
  baton extract < prompt.md > parent.md                   print the prompt of the parent
  baton extract < prompt.md | baton extract               print the prompt of the parent's parent`;

/** `baton extract`: prints the parent prompt that a composed prompt contains. */
export function extractCommand(terminal: Terminal): Command {
  return new Command('extract')
    .description('print the parent prompt that a composed prompt on standard input contains')
    .addHelpText('after', extractHelp)
    .action(async () => {
      const prompt = await readInput(terminal, '-', 'Pass the whole text of a composed prompt.');
      terminal.write(extracted(prompt));
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
