import type { PromptRecord } from '../domain/agent/prompt-record';
import type { ModelSettings } from '../domain/model/settings';
import type { OpenedAgent } from '../domain/run/progress';
import type { BlobRef } from '../domain/store/blob-ref';
import type { RunStore } from '../domain/store/store';
import type { ToolDescription } from '../domain/tool/description';
import { pinTools } from '../domain/tool/pinned';
import { putJson } from '../store/json-blobs';
import { putPromptRecord } from '../store/prompts';
import type { TranscriptCache } from '../store/transcript/cache';
import { Transcripts } from '../store/transcripts';

const firstMessage = 'Begin. Your task and its rules are in your instructions.';

interface Opening {
  readonly runStore: RunStore;
  readonly storeId: string;
  readonly transcriptCache: TranscriptCache;
  readonly searchAttributes: boolean;
  readonly record: PromptRecord;
  readonly tools: readonly ToolDescription[];
  /** Where just these tools are stored already. */
  readonly toolList?: BlobRef | undefined;
  readonly prompts: BlobRef;
  readonly model: ModelSettings;
}

/** Fixes what an agent is given, prompt, tools and model, as the first entry of its transcript. */
export async function openAgent(opening: Opening): Promise<OpenedAgent> {
  const { runStore, storeId, transcriptCache, searchAttributes, record, tools, prompts, model } = opening;
  const [toolList] = await Promise.all([
    opening.toolList ?? putJson(runStore, tools),
    putPromptRecord(runStore, record),
  ]);
  const begun = await new Transcripts(runStore, transcriptCache).begin({
    kind: 'opening',
    prompt: record.prompt,
    tools: toolList,
    model,
    firstMessage,
  });
  return {
    storeId,
    prompt: record.prompt,
    tools: pinTools(tools),
    toolList,
    prompts,
    structured: record.output !== null,
    opening: begun.head,
    searchAttributes,
  };
}
