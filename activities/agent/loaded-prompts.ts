import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { uncheckedObject } from '../../domain/kernel';
import type { RunStore } from '../../domain/store';
import type { ToolDescription } from '../../domain/tool';
import type { OpeningEntry } from '../../domain/transcript';
import { getJson } from '../../store/blobs';
import { idleCache } from '../../store/idle-entries';
import { loadPrompt } from '../../store/prompts';

/** An agent's prompt and tools, with which each of its requests begins. */
export interface LoadedPrompt {
  readonly system: string;
  readonly tools: readonly ToolDescription[];
}

/** The descriptions themselves are not checked: they are sent to the model as they were pinned. */
const toolListSchema = z.array(uncheckedObject<ToolDescription>());

/** Maximum bytes of the cache. */
const keptBytes = 64 * 1024 * 1024;
const keptLists = 100;

/** Caches prompts and tools of agents. Entries never go stale, because both are addressed by hash. */
export class LoadedPrompts {
  private readonly cache = idleCache<LoadedPrompt>({ maxSize: keptBytes });
  /** Lists of tools by their hash: most agents have the same, and a parsed list takes more memory than all else. */
  private readonly lists = new LRUCache<string, readonly ToolDescription[]>({ max: keptLists });

  /** Returns the prompt and tools of an agent, from the cache or the store. */
  async load(store: RunStore, { prompt, tools }: Pick<OpeningEntry, 'prompt' | 'tools'>): Promise<LoadedPrompt> {
    const key = [prompt.hash, tools.hash, store.runId].join(' ');
    const cached = this.cache.get(key);
    if (cached !== undefined) return cached;
    const [system, list] = await Promise.all([
      loadPrompt(store, prompt, 'prompt'),
      getJson(store, tools, toolListSchema, 'tool definitions'),
    ]);
    const briefing = { system: Buffer.from(system).toString('utf8'), tools: this.lists.get(tools.hash) ?? list };
    this.lists.set(tools.hash, briefing.tools);
    // Text takes up to two bytes per character in memory, and objects somewhat more than their JSON.
    this.cache.set(key, briefing, { size: 1_000 + 2 * prompt.bytes + 4 * tools.bytes });
    return briefing;
  }
}
