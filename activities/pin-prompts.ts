import { createRegistry, type PromptDefinition } from '../domain/prompt';
import { skillPrompt, type SkillDefinition } from '../domain/skill';
import type { BlobRef } from '../domain/store/blob-ref';
import type { RunStore } from '../domain/store/store';
import { putJson } from '../store/json-blobs';
import type { SharedDependencies } from './dependencies';

/** What a run can dispatch, fixed when it starts: later edits of prompts and skill files don't reach its agents. */
export interface PinnedPrompts {
  /** Definitions of the skills, by name. */
  readonly definitions: readonly SkillDefinition[];
  readonly refs: {
    /** All prompts that can be dispatched; a skill is there too, as `(skills, name)`. */
    readonly prompts: BlobRef;
    /** The definitions of the skills; left out when there are none. */
    readonly skills?: BlobRef;
  };
}

export async function pinPrompts(
  store: RunStore,
  { prompts, skills }: Pick<SharedDependencies, 'prompts' | 'skills'>,
): Promise<PinnedPrompts> {
  const definitions = (await skills?.()) ?? [];
  if (definitions.length === 0) return { definitions, refs: { prompts: await putJson(store, prompts) } };
  const all: readonly PromptDefinition[] = createRegistry([...prompts, ...definitions.map(skillPrompt)]).list();
  return { definitions, refs: { prompts: await putJson(store, all), skills: await putJson(store, definitions) } };
}
