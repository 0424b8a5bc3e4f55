import type { RunResult } from '../../domain/agent';
import { delegationResultSchema } from '../../domain/delegation';
import { owningRunId, parseAgentId } from '../../domain/kernel';
import type { SpilledText } from '../../domain/store';
import { readSpilled } from '../../store/blobs';
import type { CliContext } from '../context';

/**
 * Reads the final text of an agent: a run's answer, or the summary of a delegation. It is in the store if it is too long
 * for history; if the store can't be read, returns the text's address.
 */
export async function loadFinalText(context: CliContext, agent: string, result: RunResult): Promise<string> {
  const delegated = delegationResultSchema.safeParse(result).data;
  return loadText(context, owningRunId(parseAgentId(agent)), delegated?.summary ?? result.answer);
}

async function loadText(context: CliContext, runId: string, text: SpilledText): Promise<string> {
  if ('text' in text) return text.text;
  try {
    const store = await context.openStore();
    return await readSpilled(store.forRun(runId), text, 'answer');
  } catch (error) {
    context.terminal.note(`The answer can't be read here: ${error instanceof Error ? error.message : String(error)}`);
    return `[stored as ${text.ref.hash}, ${text.ref.bytes} bytes]`;
  }
}
