import { log } from '@temporalio/activity';
import {
  areComplete,
  completeSettings,
  type OpenedAgent,
  type OpenedRoot,
  type OpenRunInput,
  parseOpenRun,
} from '../../domain/agent';
import { dispatchSkillTool, dispatchSubagentsTool, dispatchSubagentTool } from '../../domain/delegation';
import { promptSubagentToolsSection, skillsSection, subagentsSection } from '../../domain/delegation/prepare';
import type { ModelSettings } from '../../domain/model';
import { agentPrompt, createRegistry, type PromptDefinition, withSections } from '../../domain/prompt';
import { type SkillDefinition, skillPrompt } from '../../domain/skill';
import type { BlobRef, RunStore } from '../../domain/store';
import type { ToolDescription } from '../../domain/tool';
import { putJson } from '../../store/blobs';
import { putRenderedPrompt, putRootTools } from '../../store/prompts';
import { recordRunPlace } from '../../store/run-place';
import type { SharedDependencies } from '../dependencies';
import { openAgent } from './open-agent';
import { parametersOf, registeredRoot, renderRoot, type RootPrompt } from './registered-root';
import { checkSkillRoot, openSkillRoot } from './skill-root';

const workspaceNote =
  'Your workspace is a copy of a folder. Read and change it with your tools. Your changes reach the original folder only if someone applies them later.';

/**
 * Checks a run's input, applies the defaults, and opens its root agent: with Baton's own prompt, with a registered one, or
 * with a skill. The result has the settings in force, unless they are those of the input.
 */
export async function openRun(dependencies: SharedDependencies, unchecked: OpenRunInput): Promise<OpenedRoot> {
  const input = parseOpenRun(unchecked);
  const { runId, skill } = input;
  const settings = completeSettings(input, dependencies.modelDefaults);
  const mayDelegate = settings.limits.maxDepth > 0;
  if (skill !== undefined) {
    const runStore = dependencies.store.forRun(runId);
    const pinned = await pinRun(runStore, dependencies, mayDelegate);
    return openSkillRoot(dependencies, { runStore, ...pinned }, input, settings);
  }
  const opened = await openRoot(dependencies, {
    runId,
    model: settings.model,
    mayDelegate,
    prompt: (dispatchable) => registeredRoot(input, dependencies.prompts) ?? ownRoot(input, dispatchable),
  });
  return areComplete(input) ? opened : { ...opened, settings };
}

/** Checks the input of a run whose folder has to be imported before its root can be opened. */
export async function checkRun(
  dependencies: SharedDependencies,
  unchecked: OpenRunInput,
): Promise<{ readonly storeId: string }> {
  const input = parseOpenRun(unchecked);
  await checkSkillRoot(dependencies, input, completeSettings(input, dependencies.modelDefaults));
  return { storeId: dependencies.store.id };
}

/** Baton's own agent, which has all tools, and whose prompt explains what it can dispatch. */
function ownRoot(input: OpenRunInput, dispatchable: DispatchTargets): RootPrompt {
  const note: Record<string, string> = input.workspace === undefined ? {} : { workspace_note: workspaceNote };
  return renderRoot(rootDefinition(dispatchable), { ...note, ...parametersOf(input) });
}

/** Adds the sections that explain the `dispatch_*` tools to the root prompt. */
function rootDefinition({ mayDelegate, prompts, skills }: DispatchTargets): PromptDefinition {
  const sections = [
    ...(prompts.length === 0 ? [] : [promptSubagentToolsSection(prompts)]),
    ...(skills.length === 0 ? [] : [skillsSection(skills)]),
    ...(mayDelegate ? [subagentsSection()] : []),
  ];
  return sections.length === 0 ? agentPrompt.definition : withSections(agentPrompt.definition, sections, 'answer');
}

/** The root of a run or a relay, before it is opened. */
export interface RootSpec {
  readonly runId: string;
  readonly model: ModelSettings;
  readonly mayDelegate: boolean;
  /** Returns the root's prompt. Called with everything that can be dispatched, because the prompt describes it. */
  prompt(dispatchable: DispatchTargets): RootPrompt;
}

/** Stores the root's prompt, pins tools, prompts and skills for all agents below it, and begins the transcript. */
export async function openRoot(
  dependencies: SharedDependencies,
  { runId, model, mayDelegate, prompt }: RootSpec,
): Promise<OpenedAgent> {
  const { store, transcriptCache, searchAttributes } = dependencies;
  const runStore = store.forRun(runId);
  const { refs, dispatchable, available } = await pinRun(runStore, dependencies, mayDelegate);
  const { definition, rendered, chooseTools } = prompt(dispatchable);
  const opened = await openAgent({
    runStore,
    storeId: store.id,
    transcriptCache,
    searchAttributes,
    record: await putRenderedPrompt(runStore, rendered, { definition }),
    tools: chooseTools?.(available) ?? available,
    pinned: refs,
    model,
  });
  await putRootTools(runStore, opened.toolList);
  return opened;
}

/** Everything that is pinned for the whole run when its root is opened. */
interface PinnedRun extends Pick<PinnedPrompts, 'refs'> {
  readonly skills: readonly SkillDefinition[];
  readonly dispatchable: DispatchTargets;
  /** All tools that the root can have. */
  readonly available: readonly ToolDescription[];
}

/** Pins prompts and skills, and lists the tools. A root that may not delegate has nothing to dispatch. */
async function pinRun(runStore: RunStore, dependencies: SharedDependencies, mayDelegate: boolean): Promise<PinnedRun> {
  await recordPlace(runStore, dependencies);
  const { definitions: skills, refs } = await pinPrompts(runStore, dependencies);
  const dispatchable: DispatchTargets = {
    mayDelegate,
    prompts: mayDelegate ? dependencies.prompts.filter(({ enabled }) => enabled) : [],
    skills: mayDelegate ? skills : [],
  };
  const own = dependencies.tools.map(({ description }) => description);
  return { refs, skills, dispatchable, available: [...own, ...dispatchTools(dispatchable)] };
}

/** Records where the run runs, before anything else is stored: `baton gc` asks that server whether it has ended. */
async function recordPlace(store: RunStore, { place }: Pick<SharedDependencies, 'place'>): Promise<void> {
  const here = await place();
  if (here !== undefined) await recordRunPlace(store, here);
  else log.warn('The server does not tell its identity; `baton gc` keeps this run unless it is given --unverified');
}

/**
 * Prompts and skills that a run can dispatch. They are pinned when it starts, so later edits don't reach its agents.
 */
interface PinnedPrompts {
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
async function pinPrompts(
  store: RunStore,
  { prompts, skills }: Pick<SharedDependencies, 'prompts' | 'skills'>,
): Promise<PinnedPrompts> {
  const definitions = (await skills?.()) ?? [];
  if (definitions.length === 0) return { definitions, refs: { prompts: await putJson(store, prompts) } };
  const all: readonly PromptDefinition[] = createRegistry([...prompts, ...definitions.map(skillPrompt)]).list();
  return { definitions, refs: { prompts: await putJson(store, all), skills: await putJson(store, definitions) } };
}

/** The prompts and skills that an agent may dispatch. */
interface DispatchTargets {
  /** Whether the agent may use `dispatch_subagents`. */
  readonly mayDelegate: boolean;
  /** Prompts other than skills. */
  readonly prompts: readonly PromptDefinition[];
  readonly skills: readonly SkillDefinition[];
}

/** Returns the `dispatch_*` tools that have something to dispatch. */
function dispatchTools({ mayDelegate, prompts, skills }: DispatchTargets): ToolDescription[] {
  return [
    ...(prompts.length + skills.length === 0 ? [] : [dispatchSubagentTool()]),
    ...(skills.length === 0 ? [] : [dispatchSkillTool(skills)]),
    ...(mayDelegate ? [dispatchSubagentsTool()] : []),
  ];
}
