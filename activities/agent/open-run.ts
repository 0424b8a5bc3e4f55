import { log } from '@temporalio/activity';
import { type OpenedAgent, parseRunInput, type RunInput, settingsOf } from '../../domain/agent';
import { dispatchSkillTool, dispatchSubagentsTool, dispatchSubagentTool } from '../../domain/delegation';
import { promptSubagentToolsSection, skillsSection, subagentsSection } from '../../domain/delegation/prepare';
import type { ModelSettings } from '../../domain/model';
import { agentPrompt, createRegistry, type PromptDefinition, renderPrompt, withSections } from '../../domain/prompt';
import { type SkillDefinition, skillPrompt } from '../../domain/skill';
import type { BlobRef, RunStore } from '../../domain/store';
import type { ToolDescription } from '../../domain/tool';
import { putJson, sha256 } from '../../store/blobs';
import { putRenderedPrompt, putRootTools } from '../../store/prompts';
import { recordRunPlace } from '../../store/run-place';
import { putRootRecord } from '../../store/run-record';
import type { SharedDependencies } from '../dependencies';
import { openAgent } from './open-agent';

const workspaceNote =
  'Your workspace is a copy of a folder. Read and change it with your tools. Your changes reach the original folder only if someone applies them later.';

/** Checks a run's input, and opens its root agent. */
export async function openRun(dependencies: SharedDependencies, unchecked: RunInput): Promise<OpenedAgent> {
  const input = parseRunInput(unchecked);
  const { runId, model, goal, workspace, limits } = input;
  const note = workspace === undefined ? {} : { workspace_note: workspaceNote };
  return openRoot(dependencies, {
    runId,
    input,
    model,
    mayDelegate: limits.maxDepth > 0,
    prompt: (dispatchable) => ({
      definition: rootDefinition(dispatchable),
      parameters: agentPrompt.bind({ goal, ...note }),
    }),
  });
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
  /** The checked input, which is recorded. */
  readonly input: RunInput & { readonly relay?: { readonly name: string } };
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
  { runId, input, model, mayDelegate, prompt }: RootSpec,
): Promise<OpenedAgent> {
  const { store, tools, prompts, transcriptCache, searchAttributes } = dependencies;
  const runStore = store.forRun(runId);
  await recordPlace(runStore, dependencies);
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
  await recordRoot(runStore, input, opened);
  return opened;
}

function recordRoot(store: RunStore, input: RootSpec['input'], opened: OpenedAgent): Promise<void> {
  return putRootRecord(store, {
    goal: input.goal,
    relay: input.relay?.name ?? null,
    workspace: input.workspace?.root ?? null,
    settings: settingsOf(input),
    opened,
    at: new Date().toISOString(),
  });
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
