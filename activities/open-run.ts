import { stat } from 'node:fs/promises';
import { InvalidInputError } from '../domain/errors';
import { canonicalJson } from '../domain/json';
import { parseRunInput, type RunInput } from '../domain/run/input';
import type { OpenedAgent } from '../domain/run/progress';
import { mediaTypes } from '../domain/store/blob-ref';
import type { TranscriptCache } from '../store/transcript/cache';
import { Transcripts } from '../store/transcripts';
import type { ActivityDependencies } from './dependencies';
import { rootPrompt } from './root-prompt';

const firstMessage = 'Begin. Your task and its rules are in your instructions.';

/** Checks the input, composes the root prompt, pins the tools and begins the transcript. */
export async function openRun(
  {
    store,
    tools,
    transcriptCache,
    searchAttributes,
  }: ActivityDependencies & { readonly transcriptCache: TranscriptCache },
  unchecked: RunInput,
): Promise<OpenedAgent> {
  const input = parseRunInput(unchecked);
  await checkWorkspace(input);
  const runStore = store.forRun(input.runId);
  const descriptions = tools.map(({ description }) => description);
  const prompt = await runStore.put(Buffer.from(rootPrompt(input)), mediaTypes.markdown);
  const toolList = await runStore.put(Buffer.from(canonicalJson(descriptions)), mediaTypes.json);
  const opening = await new Transcripts(runStore, transcriptCache).begin({
    kind: 'opening',
    prompt,
    tools: toolList,
    model: input.model,
    firstMessage,
  });
  return {
    storeId: store.id,
    prompt,
    tools: descriptions.map(({ name, safeToRepeat }) => ({ name, safeToRepeat })),
    opening: opening.head,
    searchAttributes,
  };
}

async function checkWorkspace({ workspace }: RunInput): Promise<void> {
  if (workspace === undefined) return;
  const found = await stat(workspace.root).catch(() => undefined);
  if (found?.isDirectory() === true) return;
  throw new InvalidInputError(
    'workspace.root',
    `"${workspace.root}" is not a folder on this worker's machine`,
    'Start the worker where the folder is, or name another one.',
  );
}
