import { LRUCache } from 'lru-cache';
import type { PromptRecord } from '../domain/agent/prompt-record';
import { createRegistry, promptDefinitionSchema, type PromptRegistry } from '../domain/prompt';
import type { OpenedAgent } from '../domain/run/progress';
import { skillDefinitionSchema, type SkillDefinition } from '../domain/skill';
import type { RunStore } from '../domain/store/store';
import { toolDescriptionSchema, type ToolDescription } from '../domain/tool/description';
import { getJson } from '../store/json-blobs';
import { getPromptRecord, loadPrompt } from '../store/prompts';

/** What a delegation takes from the agent that makes it. */
export interface DelegatingAgent {
  readonly prompt: Uint8Array;
  readonly record: PromptRecord;
  readonly tools: readonly ToolDescription[];
  /** Prompts that it may dispatch. */
  readonly registry: PromptRegistry;
  /** Skills that it may dispatch. */
  readonly skills: readonly SkillDefinition[];
}

const keptAgents = 100;

/** Delegating agents that this worker has met: the delegations of a turn come side by side, and all ask for the same. */
export class DelegatingAgents {
  private readonly known = new LRUCache<string, Promise<DelegatingAgent>>({ max: keptAgents });

  /** Fixed when the agent was opened and named by hashes, so it never goes stale. */
  load(store: RunStore, opened: OpenedAgent): Promise<DelegatingAgent> {
    const key = [
      opened.opening.hash,
      opened.toolList.hash,
      opened.prompts.hash,
      opened.skills?.hash ?? '',
      store.runId,
    ].join(' ');
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const loading = load(store, opened);
    this.known.set(key, loading);
    loading.catch(() => this.known.delete(key));
    return loading;
  }
}

async function load(store: RunStore, { prompt, toolList, prompts, skills }: OpenedAgent): Promise<DelegatingAgent> {
  const [bytes, record, tools, definitions, ofSkills] = await Promise.all([
    loadPrompt(store, prompt, 'prompt of the delegating agent'),
    getPromptRecord(store, prompt, 'prompt of the delegating agent'),
    getJson(store, toolList, toolDescriptionSchema.array(), 'tools of the delegating agent'),
    getJson(store, prompts, promptDefinitionSchema.array(), 'prompts that can be dispatched'),
    skills === undefined ? [] : getJson(store, skills, skillDefinitionSchema.array(), 'skills that can be dispatched'),
  ]);
  return { prompt: bytes, record, tools, registry: createRegistry(definitions), skills: ofSkills };
}
