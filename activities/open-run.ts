import { stat } from 'node:fs/promises';
import type { PromptRecord } from '../domain/agent/prompt-record';
import { InvalidInputError } from '../domain/errors';
import { agentPrompt, renderPrompt } from '../domain/prompt';
import { parseRunInput, type RunInput } from '../domain/run/input';
import type { OpenedAgent } from '../domain/run/progress';
import { mediaTypes } from '../domain/store/blob-ref';
import type { RunStore } from '../domain/store/store';
import { sha256 } from '../store/digest';
import type { TranscriptCache } from '../store/transcript/cache';
import type { ActivityDependencies } from './dependencies';
import { openAgent } from './open-agent';

/** Checks the input, renders the root prompt, pins the tools and begins the transcript. */
export async function openRun(
  { store, tools, transcriptCache, searchAttributes }: ActivityDependencies & { readonly transcriptCache: TranscriptCache },
  unchecked: RunInput,
): Promise<OpenedAgent> {
  const input = parseRunInput(unchecked);
  await checkWorkspace(input);
  const runStore = store.forRun(input.runId);
  return openAgent({
    runStore,
    storeId: store.id,
    transcriptCache,
    searchAttributes,
    record: await rootPrompt(runStore, input),
    tools: tools.map(({ description }) => description),
    model: input.model,
  });
}

async function rootPrompt(runStore: RunStore, { goal, workspace }: RunInput): Promise<PromptRecord> {
  const { definition, bind } = agentPrompt;
  const note = workspace === undefined ? {} : { workspace_note: 'Your workspace is a folder that you may read with your tools.' };
  const rendered = renderPrompt(definition, { parameters: bind({ goal, ...note }), sha256 });
  const prompt = await runStore.put(Buffer.from(rendered.markdown), mediaTypes.markdown);
  return {
    version: 1,
    prompt,
    ns: rendered.ns,
    key: rendered.key,
    sections: rendered.sections.map(({ path, ...range }) => ({ path: [...path], ...range })),
    parameters: { ...rendered.parameters },
    output: rendered.output,
    transcript: rendered.composition.transcript,
    origin: { kind: 'rendered', definition },
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
