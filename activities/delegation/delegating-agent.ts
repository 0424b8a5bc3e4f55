import type { OpenedAgent } from '../../domain/agent';
import { createRegistry, promptDefinitionSchema, type PromptRegistry } from '../../domain/prompt';
import { type SkillDefinition, skillDefinitionSchema } from '../../domain/skill';
import type { BlobRef, RunStore } from '../../domain/store';
import { type ToolDescription, toolDescriptionSchema } from '../../domain/tool';
import { renderTranscript } from '../../domain/transcript';
import { getJson } from '../../store/blobs';
import { idleCache } from '../../store/idle-entries';
import { getPromptRecord, type LoadedPromptRecord, loadPrompt, putPromptWithTranscript } from '../../store/prompts';
import type { TranscriptCache } from '../../store/transcript/cache';
import { Transcripts } from '../../store/transcript/transcripts';
import { readDeferred } from '../tool/deferred-tools';

/** The parts of the parent that preparing a delegation needs. */
export interface DelegatingAgent extends LoadedPromptRecord {
  /** The tools that are sent to its model. */
  readonly tools: readonly ToolDescription[];
  readonly deferred: readonly ToolDescription[];
  /** Prompts that the parent may dispatch. */
  readonly registry: PromptRegistry;
  /** Skills that the parent may dispatch. */
  readonly skills: readonly SkillDefinition[];
}

/** Maximum agents in the cache. */
const keptAgents = 100;

/** Caches parents, because the delegations of a turn are prepared concurrently and all need the same parent. */
export class DelegatingAgents {
  private readonly cache = idleCache<DelegatingAgent>({ max: keptAgents });
  /** Parents that are being loaded. Promises are not kept longer: each holds the activity in which it was created. */
  private readonly loading = new Map<string, Promise<DelegatingAgent>>();

  /** Returns a parent from the cache or the store. Entries never go stale, because all parts are addressed by hash. */
  async load(store: RunStore, opened: OpenedAgent): Promise<DelegatingAgent> {
    const key = [
      opened.opening.hash,
      opened.toolList.hash,
      opened.deferred?.list.hash ?? '',
      opened.prompts.hash,
      opened.skills?.hash ?? '',
      store.runId,
    ].join(' ');
    const known = this.cache.get(key) ?? this.loading.get(key);
    if (known !== undefined) return known;
    const loading = load(store, opened);
    this.loading.set(key, loading);
    try {
      const loaded = await loading;
      this.cache.set(key, loaded);
      return loaded;
    } finally {
      this.loading.delete(key);
    }
  }
}

async function load(
  store: RunStore,
  { prompt, toolList, deferred: hidden, prompts, skills }: OpenedAgent,
): Promise<DelegatingAgent> {
  const [bytes, record, tools, deferred, definitions, ofSkills] = await Promise.all([
    loadPrompt(store, prompt, 'prompt of the delegating agent'),
    getPromptRecord(store, prompt, 'prompt of the delegating agent'),
    getJson(store, toolList, toolDescriptionSchema.array(), 'tools of the delegating agent'),
    readDeferred(store, hidden),
    getJson(store, prompts, promptDefinitionSchema.array(), 'prompts that can be dispatched'),
    skills === undefined ? [] : getJson(store, skills, skillDefinitionSchema.array(), 'skills that can be dispatched'),
  ]);
  return { prompt: bytes, record, tools, deferred, registry: createRegistry(definitions), skills: ofSkills };
}

/**
 * Adds the parent's transcript to its prompt, if its definition passes it on. It is read at the recorded head, so every
 * attempt and every replay embeds the same bytes.
 */
export async function withTranscriptAt<Parent extends LoadedPromptRecord>(
  store: RunStore,
  cache: TranscriptCache,
  parent: Parent,
  head: BlobRef | undefined,
): Promise<Parent> {
  if (head === undefined || parent.record.transcript === 'none') return parent;
  const { entries } = await new Transcripts(store, cache).load(head);
  const { record, prompt } = parent;
  const extended = await putPromptWithTranscript(store, { record, prompt }, { head, text: renderTranscript(entries) });
  return { ...parent, ...extended };
}

/** Tells which tools an agent's model knows. An agent below it knows them too. */
export function isShownBy({ tools }: Pick<DelegatingAgent, 'tools'>): (name: string) => boolean {
  const names = new Set(tools.map(({ name }) => name));
  return (name) => names.has(name);
}
