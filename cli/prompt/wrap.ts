import { Command } from 'commander';
import { wrapPrompt } from '../../domain/prompt';
import type { Terminal } from '../context';
import type { ComposeOptions } from './composed-output';
import { platformSha256, printComposed, readDocument } from './composed-output';

const help = `
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
    .addHelpText('after', help)
    .action(async ({ input, json }: ComposeOptions) => {
      const document = await readDocument(terminal, input);
      printComposed(terminal, wrapPrompt(document, { sha256: platformSha256 }), json === true);
    });
}
