import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { CompositionResult } from '../../domain/prompt';
import type { Terminal } from '../cli';
import { CliError, exitCodes } from '../cli';

export interface ComposeOptions {
  readonly input: string;
  readonly json?: true;
}

/** Much faster than the domain's own on a long prompt. */
export function platformSha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Reads the JSON document that `--input` names; `-` is standard input. */
export async function readDocument(terminal: Terminal, input: string): Promise<unknown> {
  const bytes = input === '-' ? await terminal.readStdin() : await readInputFile(input);
  const name = input === '-' ? 'standard input' : input;
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    const reason = error instanceof SyntaxError ? error.message : 'it is not UTF-8';
    throw new CliError(exitCodes.misused, `Cannot read ${name} as JSON: ${reason}`, 'Give a file in UTF-8 JSON.');
  }
}

async function readInputFile(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new CliError(
      exitCodes.misused,
      `Cannot read ${path}: ${code}`,
      'Name a readable file, or - for standard input.',
    );
  }
}

/** The prompt's exact bytes, or all about it with `--json`. A failure is printed in the same form, and is exit code 2. */
export function printComposed(terminal: Terminal, result: CompositionResult, json: boolean): void {
  if (!result.ok) {
    const { error } = result;
    if (json) terminal.print(JSON.stringify({ error }));
    throw new CliError(
      exitCodes.misused,
      `${error.type} in ${error.field}: ${error.reason} (delegation ${error.delegationId})`,
      error.remediation,
    );
  }
  if (json) {
    const { delegationId, bytes, sections, redactions } = result;
    const prompt = Buffer.from(bytes).toString('utf8');
    terminal.print(JSON.stringify({ delegationId, prompt, bytes: bytes.length, sectionPaths: sections, redactions }));
    return;
  }
  writeExactly(terminal, result.bytes);
}

/** Nothing but the bytes; on a terminal, where nobody compares them, the last line is ended for the next prompt. */
export function writeExactly(terminal: Terminal, bytes: Uint8Array): void {
  terminal.write(bytes);
  if (terminal.isInteractive && bytes.at(-1) !== 0x0a) terminal.write(Buffer.from('\n'));
}
