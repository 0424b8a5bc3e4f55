import { log } from '@temporalio/activity';
import { type CommandSettings, runCommandDescription } from '../../domain/command';
import { dispatchSkillTool, dispatchSubagentsTool, dispatchSubagentTool } from '../../domain/delegation';
import { isDispatchable } from '../../domain/delegation/prepare';
import {
  type Bindings,
  createRegistry,
  type PromptDefaults,
  type PromptDefinition,
  withPromptDefaults,
} from '../../domain/prompt';
import { type SkillDefinition, skillPrompt } from '../../domain/skill';
import type { BlobRef, RunStore } from '../../domain/store';
import type { ToolDescription } from '../../domain/tool';
import { putJson } from '../../store/blobs';
import { recordRunPlace } from '../../store/run-place';
import { requireCommands } from '../command/commands';
import type { SharedDependencies } from '../dependencies';

/** Everything that is pinned for the whole run when its root is opened. */
interface PinnedRun extends Pick<PinnedPrompts, 'refs'> {
  /** All prompts of the worker, with the run's defaults. */
  readonly prompts: readonly PromptDefinition[];
  readonly skills: readonly SkillDefinition[];
  /** Returns what a root that has bound these parameters can dispatch. */
  targets(bound: Bindings): DispatchTargets;
}

/** What decides about the prompts and skills that agents of a run can dispatch. */
interface Dispatching {
  readonly mayDelegate: boolean;
  readonly promptDefaults: PromptDefaults | undefined;
}

/** Pins prompts and skills. A root that may not delegate has nothing to dispatch. */
export async function pinRun(
  runStore: RunStore,
  dependencies: SharedDependencies,
  { mayDelegate, promptDefaults = {} }: Dispatching,
): Promise<PinnedRun> {
  await recordPlace(runStore, dependencies);
  const prompts = withPromptDefaults(dependencies.prompts, promptDefaults);
  const { definitions: skills, refs } = await pinPrompts(runStore, { ...dependencies, prompts });
  const enabled = prompts.filter((definition) => mayDelegate && definition.enabled);
  const targets = (bound: Bindings): DispatchTargets => ({
    mayDelegate,
    prompts: enabled.filter((definition) => isDispatchable(definition, bound)),
    skills: mayDelegate ? skills : [],
  });
  return { refs, prompts, skills, targets };
}

/**
 * Lists all tools that a root with these targets can have. Commands are among them only if they are granted; throws if
 * this worker can't run them then.
 */
export function availableTools(
  { tools, commands }: Pick<SharedDependencies, 'tools' | 'commands'>,
  targets: DispatchTargets,
  granted: CommandSettings | undefined,
): readonly ToolDescription[] {
  requireCommands(commands, granted);
  return [
    ...tools.map(({ description }) => description),
    ...(granted === undefined ? [] : [runCommandDescription(granted)]),
    ...dispatchTools(targets),
  ];
}

/** Records where the run runs, before anything else is stored: `baton gc` asks that server whether it has ended. */
export async function recordPlace(store: RunStore, { place }: Pick<SharedDependencies, 'place'>): Promise<void> {
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
export interface DispatchTargets {
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
