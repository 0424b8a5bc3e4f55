import { createHash } from 'node:crypto';
import { parseStrictJson } from '../../domain/kernel';
import type { CompositionResult } from '../../domain/prompt';
import type { Terminal } from '../context';
import { CliError, exitCodes } from '../context';
import { readInputFile } from '../read-input';

/** Options of the commands that read a JSON document and print a prompt. */
export interface ComposeOptions {
  readonly input: string;
  readonly json?: true;
}

/** Hashes with Node.js, which is much faster on a long prompt than the portable implementation in the domain. */
export function platformSha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Reads the JSON document that `--input` names. `-` means standard input. Throws a `CliError` if it is not JSON. */
export async function readDocument(terminal: Terminal, input: string): Promise<unknown> {
  const name = nameOf(input);
  const bytes = await readInput(terminal, input, 'Pass a readable file, or - for standard input.');
  try {
    return parseStrictJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    const reason = error instanceof SyntaxError ? error.message : 'it is not UTF-8';
    throw new CliError(
      exitCodes.misused,
      `Cannot read ${name} as JSON: ${reason}`,
      'Pass a JSON file encoded as UTF-8.',
    );
  }
}

/** Reads a file, or standard input for `-`. Throws a `CliError` with this remedy if it can't be read or is too large. */
export async function readInput(terminal: Terminal, input: string, remedy: string): Promise<Uint8Array> {
  try {
    return await (input === '-' ? terminal.readStdin() : readInputFile(input));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CliError(exitCodes.misused, `Cannot read ${nameOf(input)}: ${reason}`, remedy);
  }
}

function nameOf(input: string): string {
  return input === '-' ? 'standard input' : input;
}

/**
 * Prints the prompt's exact bytes, or everything about it as JSON. A failure is printed in the same format, with exit
 * code 2: with the fields of the library's result, and with those that the errors of all commands have.
 */
export function printComposed(terminal: Terminal, result: CompositionResult, json: boolean): void {
  if (!result.ok) {
    const { error } = result;
    const message = `${error.type} in ${error.field}: ${error.reason} (delegation ${error.delegationId})`;
    const exitCode = exitCodes.misused;
    if (json) terminal.printJson({ error: { ...error, message, remedy: error.remediation, exitCode } });
    throw new CliError(exitCode, message, error.remediation);
  }
  if (json) {
    const { delegationId, bytes, sections, redactions } = result;
    const prompt = Buffer.from(bytes).toString('utf8');
    terminal.printJson({ delegationId, prompt, bytes: bytes.length, sectionPaths: sections, redactions });
    return;
  }
  terminal.write(result.bytes);
}
