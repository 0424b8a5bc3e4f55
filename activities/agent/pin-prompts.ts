import { createRegistry, type PromptDefinition } from '../../domain/prompt';
import { skillPrompt, type SkillDefinition } from '../../domain/skill';
import type { BlobRef } from '../../domain/store/blob-ref';
import type { RunStore } from '../../domain/store/store';
import { putJson } from '../../store/blobs';
import type { SharedDependencies } from '../dependencies';

/**
 * Prompts and skills that a run can dispatch. They are pinned when it starts, so later edits don't reach its agents.
 */
export interface PinnedPrompts {
  /** The skills' definitions. */
  readonly definitions: readonly SkillDefinition[];
  readonly refs: {
    /** All prompts that can be dispatched, including each skill as `(skills, name)`. */
    readonly prompts: BlobRef;
    /** The skills' definitions; omitted when there are none. */
    readonly skills?: BlobRef;
  };
}

/** Loads the skills and stores them with the prompts, for the whole run. */
export async function pinPrompts(
  store: RunStore,
  { prompts, skills }: Pick<SharedDependencies, 'prompts' | 'skills'>,
): Promise<PinnedPrompts> {
  const definitions = (await skills?.()) ?? [];
  if (definitions.length === 0) return { definitions, refs: { prompts: await putJson(store, prompts) } };
  const all: readonly PromptDefinition[] = createRegistry([...prompts, ...definitions.map(skillPrompt)]).list();
  return { definitions, refs: { prompts: await putJson(store, all), skills: await putJson(store, definitions) } };
}
