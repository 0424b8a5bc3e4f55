import { log } from '@temporalio/activity';
import { type DelegationControls, type OpenedAgent, parseRunInput, type RunInput } from '../../domain/agent';
import { dispatchSkillTool, dispatchSubagentsTool, dispatchSubagentTool } from '../../domain/delegation';
import {
  isDispatchable,
  promptSubagentToolsSection,
  skillsSection,
  subagentsSection,
} from '../../domain/delegation/prepare';
import { InvalidInputError } from '../../domain/kernel';
import type { ModelSettings } from '../../domain/model';
import {
  agentPrompt,
  createRegistry,
  type PromptDefaults,
  type PromptDefinition,
  renderPrompt,
  requireSoundControls,
  withPromptDefaults,
  withSections,
} from '../../domain/prompt';
import { type SkillDefinition, skillPrompt } from '../../domain/skill';
import type { BlobRef, RunStore } from '../../domain/store';
import { narrowAccess, permittedTools, type PinnedAccess, type ToolDescription } from '../../domain/tool';
import { putJson, sha256 } from '../../store/blobs';
import { putRenderedPrompt, putRootTools } from '../../store/prompts';
import { recordRunPlace } from '../../store/run-place';
import type { SharedDependencies } from '../dependencies';
import { describeOutput } from './describe-output';
import { openAgent } from './open-agent';

const workspaceNote =
  'Your workspace is a copy of a folder. Read and change it with your tools. Your changes reach the original folder only if someone applies them later.';

/** Checks a run's input, and opens its root agent. */
export async function openRun(dependencies: SharedDependencies, unchecked: RunInput): Promise<OpenedAgent> {
  const { runId, model, goal, workspace, limits, delegation, promptDefaults } = parseRunInput(unchecked);
  const note = workspace === undefined ? {} : { workspace_note: workspaceNote };
  return openRoot(dependencies, {
    runId,
    model,
    mayDelegate: limits.maxDepth > 0,
    controls: [delegation],
    promptDefaults,
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
  readonly model: ModelSettings;
  readonly mayDelegate: boolean;
  /** Controls whose tools apply to the root, and so to every agent below it. */
  readonly controls: readonly (DelegationControls | undefined)[];
  /** Values for parameters of the prompts that agents may dispatch. Default: none. */
  readonly promptDefaults?: PromptDefaults | undefined;
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
  { runId, model, mayDelegate, controls, promptDefaults = {}, prompt }: RootSpec,
): Promise<OpenedAgent> {
  const { store, tools, transcriptCache, searchAttributes } = dependencies;
  const runStore = store.forRun(runId);
  await recordPlace(runStore, dependencies);
  const prompts = withPromptDefaults(dependencies.prompts, promptDefaults);
  const pinned = await pinPrompts(runStore, { ...dependencies, prompts });
  const skills = mayDelegate ? pinned.definitions : [];
  const { parameters: bound } = prompt({ mayDelegate, prompts: [], skills });
  const offered = prompts.filter((definition) => definition.enabled && isDispatchable(definition, bound));
  const dispatchable: DispatchTargets = { mayDelegate, prompts: mayDelegate ? offered : [], skills };
  const { definition: chosen, parameters } = prompt(dispatchable);
  const definition = describeOutput(dependencies.model, chosen);
  const all = [...tools.map(({ description }) => description), ...dispatchTools(dispatchable)];
  const access = rootAccess(controls, all);
  const opened = await openAgent({
    runStore,
    storeId: store.id,
    transcriptCache,
    searchAttributes,
    record: await putRenderedPrompt(runStore, renderPrompt(definition, { parameters, sha256 }), { definition }),
    tools: permittedTools(all, access),
    access,
    pinned: pinned.refs,
    model,
  });
  await putRootTools(runStore, opened.toolList);
  return opened;
}

/** Checks the controls of a run, and returns the access to tools that they leave. */
function rootAccess(controls: RootSpec['controls'], tools: readonly ToolDescription[]): PinnedAccess | undefined {
  const known = tools.map(({ name }) => name);
  return controls.reduce<PinnedAccess | undefined>((access, part) => {
    requireSoundControls(part);
    const unknown = Object.keys(part?.tools ?? {}).find((name) => !known.includes(name));
    if (unknown !== undefined) {
      // A typing error would leave the tool that was meant without the restriction.
      throw new InvalidInputError(
        `delegation.tools.${unknown}`,
        'the root agent of this run has no such tool',
        `Use one of: ${known.join(', ')}.`,
      );
    }
    return narrowAccess(access, part?.tools);
  }, undefined);
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
