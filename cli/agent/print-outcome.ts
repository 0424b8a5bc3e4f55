import type { SpilledText } from '../../domain/store/spilled';
import { readSpilled } from '../../store/spill';
import type { CliContext } from '../context-merging';
import type { RunOutcome } from '../../client/agent/outcome';

/** Prints only the answer to standard output, and a failure with its remedy to standard error. */
export async function printOutcome(
  context: CliContext,
  runId: string,
  outcome: RunOutcome,
  json: boolean,
): Promise<void> {
  const { terminal } = context;
  const answer = outcome.kind === 'completed' ? await loadText(context, runId, outcome.result.answer) : undefined;
  if (json) {
    const result = outcome.kind === 'completed' ? { ...outcome.result, answer } : outcome;
    terminal.print(JSON.stringify({ runId, kind: outcome.kind, ...result }));
  } else if (answer !== undefined) {
    terminal.print(answer);
  } else if (outcome.kind === 'failed') {
    terminal.note(`${outcome.type}: ${outcome.message}`);
    if (outcome.remedy !== undefined && !outcome.message.includes(outcome.remedy))
      terminal.note(`What to do: ${outcome.remedy}`);
  }
}

/**
 * Reads a text from the store if it is too long for history. If the store can't be read, returns the text's address.
 */
export async function loadText(context: CliContext, runId: string, text: SpilledText): Promise<string> {
  if ('text' in text) return text.text;
  try {
    const store = await context.openStore();
    return await readSpilled(store.forRun(runId), text, 'answer');
  } catch (error) {
    context.terminal.note(`The answer can't be read here: ${error instanceof Error ? error.message : String(error)}`);
    return `[stored as ${text.ref.hash}, ${text.ref.bytes} bytes]`;
  }
}
