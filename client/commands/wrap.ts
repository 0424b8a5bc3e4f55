import { Command } from 'commander';
import { wrapPrompt } from '../../domain/prompt';
import type { Terminal } from '../cli';
import type { ComposeOptions } from './composed-output';
import { platformSha256, printComposed, readDocument } from './composed-output';

const help = `
The input is one JSON document: the parent prompt, and the four facts of the delegation.
Its fields: docs/reference/wrap-input.schema.json. What they mean: docs/prompts.md.

Examples:
  baton wrap --input delegation.json                      the prompt, byte for byte
  baton wrap --input delegation.json --json               with its id and section paths
  baton wrap --input - < delegation.json | baton extract  the parent prompt again

Exit code 2 and a message with field and remedy when the prompt cannot be wrapped.`;

/** The parent prompt with a thin header, without a server. */
export function wrapCommand(terminal: Terminal): Command {
  return new Command('wrap')
    .description('wrap a parent prompt in the thin header of a delegation, from a JSON file')
    .requiredOption('--input <file>', 'the JSON document; - reads standard input')
    .option('--json', 'print delegation id, prompt, size and section paths as JSON')
    .addHelpText('after', help)
    .action(async ({ input, json }: ComposeOptions) => {
      const document = await readDocument(terminal, input);
      printComposed(terminal, wrapPrompt(document, { sha256: platformSha256 }), json === true);
    });
}
