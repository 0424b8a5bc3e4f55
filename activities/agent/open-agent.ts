import type { OpenedAgent } from '../../domain/agent';
import type { ModelSettings } from '../../domain/model';
import type { PromptRecord } from '../../domain/prompt';
import type { BlobRef, RunStore } from '../../domain/store';
import { type OfferedTools, type PinnedAccess, pinTools } from '../../domain/tool';
import { putJson } from '../../store/blobs';
import { putPromptRecord } from '../../store/prompts';
import type { TranscriptCache } from '../../store/transcript/cache';
import { Transcripts } from '../../store/transcript/transcripts';
import { storeDeferred } from '../tool/deferred-tools';

const firstMessage = 'Begin. Your task and its rules are in your instructions.';

interface AgentToOpen {
  readonly runStore: RunStore;
  readonly storeId: string;
  readonly transcriptCache: TranscriptCache;
  readonly searchAttributes: boolean;
  readonly record: PromptRecord;
  readonly tools: OfferedTools;
  /** Ref to exactly the tools that are sent to the model, if they are already stored. */
  readonly toolList?: BlobRef | undefined;
  /** Restricted and revoked tools. */
  readonly access?: PinnedAccess | undefined;
  readonly pinned: PinnedDefinitions;
  readonly model: ModelSettings;
  /** Set for a skill's agent. */
  readonly skill?: {
    readonly name: string;
    readonly injectedTokens: number;
  };
}

/** Prompts and skills that can be dispatched, pinned when the run started. */
export type PinnedDefinitions = Pick<OpenedAgent, 'prompts' | 'skills'>;

/**
 * Opens an agent: stores its prompt and tools, and records them with its model as the first entry of its transcript. The
 * format that its prompt's record requires of the answer becomes part of every request and is checked at the end.
 */
export async function openAgent(opening: AgentToOpen): Promise<OpenedAgent> {
  const { runStore, storeId, transcriptCache, searchAttributes, record, tools, pinned, model } = opening;
  const { output } = record;
  const { name, injectedTokens } = opening.skill ?? {};
  const [toolList, deferred, format] = await Promise.all([
    opening.toolList ?? putJson(runStore, tools.shown),
    storeDeferred(runStore, tools.deferred),
    output === null ? undefined : putJson(runStore, output),
    putPromptRecord(runStore, record),
  ]);
  const begun = await new Transcripts(runStore, transcriptCache).begin({
    kind: 'opening',
    prompt: record.prompt,
    tools: toolList,
    model,
    firstMessage,
    ...(output === null ? {} : { output }),
  });
  return {
    storeId,
    prompt: record.prompt,
    tools: pinTools(tools.shown),
    toolList,
    ...deferred,
    ...(opening.access === undefined ? {} : { access: opening.access }),
    prompts: pinned.prompts,
    opening: begun.head,
    searchAttributes,
    ...(record.transcript === 'full' ? { transcript: record.transcript } : {}),
    ...(pinned.skills === undefined ? {} : { skills: pinned.skills }),
    ...(name === undefined ? {} : { skill: name }),
    ...(format === undefined ? {} : { output: format }),
    ...(injectedTokens === undefined ? {} : { injectedTokens }),
  };
}
