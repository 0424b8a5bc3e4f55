import type { PromptRecord } from '../../domain/prompt/prompt-record';
import { auditComposition, renderPrompt } from '../../domain/prompt';
import type { OpenedAgent } from '../../domain/agent/progress';
import type { RunStore } from '../../domain/store/store';
import { sha256 } from '../../store/digest';
import { getPromptRecord, loadPrompt } from '../../store/prompts';
import { TranscriptCache } from '../../store/transcript/cache';
import { Transcripts } from '../../store/transcript/transcripts';
import type { RecordedAgent } from '../agent/history';

/**
 * Returns the first difference between an agent's prompt or transcript and its record; undefined when there is none.
 */
export async function checkAgent(
  store: RunStore,
  agent: RecordedAgent,
  parent: OpenedAgent | undefined,
): Promise<string | undefined> {
  const { opened } = agent;
  if (opened === undefined) return 'no prompt is recorded';
  try {
    const record = await getPromptRecord(store, opened.prompt, 'audit');
    return (await checkPrompt(store, opened, record, parent)) ?? (await checkTranscript(store, agent, opened));
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function checkPrompt(
  store: RunStore,
  opened: OpenedAgent,
  record: PromptRecord,
  parent: OpenedAgent | undefined,
): Promise<string | undefined> {
  if (record.prompt.hash !== opened.prompt.hash) return 'the record belongs to a different prompt';
  const prompt = await loadPrompt(store, opened.prompt, 'audit');
  if (record.origin.kind === 'rendered') {
    const { definition, headingLevel = 2 } = record.origin;
    const { hash } = renderPrompt(definition, { parameters: record.parameters, headingLevel, sha256 });
    return hash === opened.prompt.hash ? undefined : `the prompt has hash ${hash} when it is rendered again`;
  }
  const { composition, parent: recorded } = record.origin;
  if (recorded.hash !== parent?.prompt.hash) return "it was composed from a different prompt than its parent's";
  return auditComposition(
    { record: composition, parent: await loadPrompt(store, recorded, 'audit'), prompt },
    { sha256 },
  );
}

/**
 * Loading a transcript verifies each of its links. This also checks that it begins with the agent's prompt and tools.
 */
async function checkTranscript(
  store: RunStore,
  { head }: RecordedAgent,
  opened: OpenedAgent,
): Promise<string | undefined> {
  const { opening } = await new Transcripts(store, new TranscriptCache()).load(head ?? opened.opening);
  if (opening.prompt.hash !== opened.prompt.hash) return 'its transcript begins with a different prompt';
  await store.get(opening.tools, 'audit');
  return undefined;
}
