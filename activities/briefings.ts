import { LRUCache } from 'lru-cache';
import type { RunStore } from '../domain/store/store';
import type { ToolDescription } from '../domain/tool/description';
import type { OpeningEntry } from '../domain/transcript/entry';
import { loadPrompt } from '../store/prompts';

/** What every call of an agent begins with. */
export interface Briefing {
  readonly system: string;
  readonly tools: readonly ToolDescription[];
}

const keptBytes = 64 * 1024 * 1024;

/** Briefings of the agents that this worker has lately called the model for; an agent's never changes. */
export class Briefings {
  private readonly known = new LRUCache<string, Briefing>({ maxSize: keptBytes });

  async load(store: RunStore, { prompt, tools }: Pick<OpeningEntry, 'prompt' | 'tools'>): Promise<Briefing> {
    const key = [prompt.hash, tools.hash, store.runId].join(' ');
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const [system, list] = await Promise.all([
      loadPrompt(store, prompt, 'prompt'),
      store.get(tools, 'tool definitions'),
    ]);
    const briefing = {
      system: Buffer.from(system).toString('utf8'),
      tools: JSON.parse(Buffer.from(list).toString('utf8')) as ToolDescription[],
    };
    // Text takes up to two bytes a character in memory, and objects somewhat more than their JSON.
    this.known.set(key, briefing, { size: 1_000 + 2 * prompt.bytes + 4 * tools.bytes });
    return briefing;
  }
}
