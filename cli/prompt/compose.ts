import { Command } from 'commander';
import { composePrompt } from '../../domain/prompt';
import type { Terminal } from '../context';
import type { ComposeOptions } from './composed-output';
import { platformSha256, printComposed, readDocument } from './composed-output';

const help = `
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
    .addHelpText('after', help)
    .action(async ({ input, json }: ComposeOptions) => {
      const document = await readDocument(terminal, input);
      printComposed(terminal, composePrompt(document, { sha256: platformSha256 }), json === true);
    });
}
