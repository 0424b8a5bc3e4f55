import type { ModelSettings } from '../../domain/model/settings';
import { renderPrompt, type PromptDefinition } from '../../domain/prompt';
import type { OpenedAgent } from '../../domain/agent/progress';
import { sha256 } from '../../store/digest';
import { putRenderedPrompt } from '../../store/prompts';
import { putRootTools } from '../../store/root-tools';
import type { SharedDependencies } from '../dependencies';
import { dispatchTools, type DispatchTargets } from './dispatchable';
import { openAgent } from './open-agent';
import { pinPrompts } from './pin-prompts';

/** The root of a run or a relay, before it is opened. */
export interface RootSpec {
  readonly runId: string;
  readonly model: ModelSettings;
  readonly mayDelegate: boolean;
  /** Returns the root's prompt. Called with everything that can be dispatched, because the prompt describes it. */
  prompt(dispatchable: DispatchTargets): RootPrompt;
}

interface RootPrompt {
  readonly definition: PromptDefinition;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Renders the root's prompt, pins tools, prompts and skills for all agents below it, and begins the transcript. */
export async function openRoot(
  dependencies: SharedDependencies,
  { runId, model, mayDelegate, prompt }: RootSpec,
): Promise<OpenedAgent> {
  const { store, tools, prompts, transcriptCache, searchAttributes } = dependencies;
  const runStore = store.forRun(runId);
  const pinned = await pinPrompts(runStore, dependencies);
  const dispatchable: DispatchTargets = {
    mayDelegate,
    prompts: mayDelegate ? prompts.filter(({ enabled }) => enabled) : [],
    skills: mayDelegate ? pinned.definitions : [],
  };
  const { definition, parameters } = prompt(dispatchable);
  const opened = await openAgent({
    runStore,
    storeId: store.id,
    transcriptCache,
    searchAttributes,
    record: await putRenderedPrompt(runStore, renderPrompt(definition, { parameters, sha256 }), { definition }),
    tools: [...tools.map(({ description }) => description), ...dispatchTools(dispatchable)],
    pinned: pinned.refs,
    model,
  });
  await putRootTools(runStore, opened.toolList);
  return opened;
}
