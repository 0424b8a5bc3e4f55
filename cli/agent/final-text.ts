import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { RunResult } from '../../domain/agent';
import { delegationResultSchema } from '../../domain/delegation';
import { type Json, owningRunId, parseAgentId } from '../../domain/kernel';
import type { SpilledText } from '../../domain/store';
import { readSpilled } from '../../store/blobs';
import { readStoredRoot } from '../../store/run-record';
import type { CliContext } from '../context';

/**
 * Reads the final text of an agent: a run's answer, or the summary of a delegation. It is in the store if it is too long
 * for history; if the store can't be read, returns the text's address.
 */
export async function loadFinalText(context: CliContext, agent: string, result: RunResult): Promise<string> {
  const delegated = delegationResultSchema.safeParse(result).data;
  const text = delegated?.summary ?? result.answer;
  const loaded = await loadText(context, agent, text);
  return loaded ?? ('ref' in text ? `[stored as ${text.ref.hash}, ${text.ref.bytes} bytes]` : text.text);
}

/** Reads the parsed answer of an agent; null if its prompt requires no structured one, or if the store can't be read. */
export async function loadValue(context: CliContext, agent: string, { value }: RunResult): Promise<Json> {
  const text = value === undefined ? undefined : await loadText(context, agent, value);
  return text === undefined ? null : z.json().parse(JSON.parse(text));
}

/** Reads what was noted about the models of a run when it started. Empty for a delegation, or if the store can't be read. */
export async function loadModelNotes(context: CliContext, agent: string): Promise<readonly string[]> {
  if (agent.includes('/')) return [];
  const { folder } = context.settings().store;
  // Opening a store that does not exist would create it.
  if (folder !== undefined && !existsSync(join(folder, 'store.json'))) return [];
  try {
    const store = await context.openStore();
    return (await readStoredRoot(store.forRun(owningRunId(parseAgentId(agent)))))?.root.modelNotes ?? [];
  } catch {
    return [];
  }
}

async function loadText(context: CliContext, agent: string, text: SpilledText): Promise<string | undefined> {
  if ('text' in text) return text.text;
  try {
    const store = await context.openStore();
    return await readSpilled(store.forRun(owningRunId(parseAgentId(agent))), text, 'answer');
  } catch (error) {
    context.terminal.note(`The answer can't be read here: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}
