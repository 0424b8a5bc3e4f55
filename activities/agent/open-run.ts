import {
  addsToRequest,
  type AgentSettings,
  completeSettings,
  type DelegationControls,
  goalOf,
  type OpenedAgent,
  type OpenedRoot,
  type OpenRunInput,
  parseOpenRun,
  type RootRecord,
} from '../../domain/agent';
import {
  promptSettings,
  promptSubagentToolsSection,
  skillSettings,
  skillsSection,
  subagentsSection,
} from '../../domain/delegation/prepare';
import { InvalidInputError } from '../../domain/kernel';
import {
  agentPrompt,
  type PromptDefaults,
  type PromptDefinition,
  requireSoundControls,
  withSections,
} from '../../domain/prompt';
import { narrowAccess, permittedTools, type PinnedAccess, type ToolDescription } from '../../domain/tool';
import type { RunStore } from '../../domain/store';
import { putRenderedPrompt, putRootTools } from '../../store/prompts';
import { putRootRecord } from '../../store/run-record';
import { findSkill } from '../delegation/check-dispatch';
import type { SharedDependencies } from '../dependencies';
import type { ModelInUse } from './describe-output';
import { openAgent } from './open-agent';
import { availableTools, type DispatchTargets, pinRun } from './pin-run';
import { parametersOf, registeredRoot, renderRoot, type RootPrompt } from './registered-root';
import { asInput, settleModels } from './run-models';
import { checkSkillRoot, openSkillRoot } from './skill-root';

const workspaceNote =
  'Your workspace is a copy of a folder. Read and change it with your tools. Your changes reach the original folder only if someone applies them later.';

/**
 * Checks a run's input, applies the defaults, and opens its root agent: with Baton's own prompt, with a registered one, or
 * with a skill. The result has the settings in force, unless they are those of the input.
 */
export async function openRun(dependencies: SharedDependencies, unchecked: OpenRunInput): Promise<OpenedRoot> {
  const input = parseOpenRun(unchecked);
  const { runId, skill, delegation, promptDefaults } = input;
  const { modelDefaults, models } = dependencies;
  const settings = completeSettings(input, modelDefaults, models);
  const mayDelegate = settings.limits.maxDepth > 0;
  if (skill !== undefined) {
    const runStore = dependencies.store.forRun(runId);
    const { targets, ...pinned } = await pinRun(runStore, dependencies, { mayDelegate, promptDefaults });
    const available = availableTools(dependencies, targets({}));
    const access = rootAccess([delegation], available);
    const own = asInput(() => skillSettings(findSkill(pinned.skills, skill.name), settings));
    const { known, notes } = await settleModels(dependencies.model, { ...settings, ...own }, targets({}));
    const root = await openSkillRoot(dependencies, { runStore, available, access, ...pinned }, input, {
      ...settings,
      ...known,
    });
    const { settings: inForce = settings, deadlineSeconds: _time, ...agent } = root;
    await recordRoot(runStore, { ...recordOf(input), ...notes, settings: inForce }, agent);
    return root;
  }
  const model = { port: dependencies.model, name: settings.model.name };
  const { opened, settings: inForce } = await openRoot(dependencies, {
    settings,
    mayDelegate,
    controls: [delegation],
    promptDefaults,
    record: recordOf(input),
    prompt: (dispatchable, prompts) => registeredRoot(model, input, prompts) ?? ownRoot(model, input, dispatchable),
  });
  return addsToRequest(input, inForce) ? { ...opened, settings: inForce } : opened;
}

/** Checks the input of a run whose folder has to be imported before its root can be opened. */
export async function checkRun(
  dependencies: SharedDependencies,
  unchecked: OpenRunInput,
): Promise<{ readonly storeId: string }> {
  const input = parseOpenRun(unchecked);
  await checkSkillRoot(dependencies, input, completeSettings(input, dependencies.modelDefaults, dependencies.models));
  return { storeId: dependencies.store.id };
}

/** Baton's own agent, which has all tools, and whose prompt explains what it can dispatch. */
function ownRoot(model: ModelInUse, input: OpenRunInput, dispatchable: DispatchTargets): RootPrompt {
  const note: Record<string, string> = input.workspace === undefined ? {} : { workspace_note: workspaceNote };
  return renderRoot(model, rootDefinition(dispatchable), { ...note, ...parametersOf(input) });
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
  readonly record: RecordedInput;
  /** Settings of the run. The model of the root's prompt takes precedence. */
  readonly settings: AgentSettings;
  readonly mayDelegate: boolean;
  /** Controls whose tools apply to the root, and so to every agent below it. */
  readonly controls: readonly (DelegationControls | undefined)[];
  /** Values for parameters of the prompts that agents may dispatch. Default: none. */
  readonly promptDefaults?: PromptDefaults | undefined;
  /**
   * Returns the root's prompt. Called with everything that can be dispatched, because the prompt describes it, and with all
   * prompts of the worker.
   */
  prompt(dispatchable: DispatchTargets, prompts: readonly PromptDefinition[]): RootPrompt;
}

/** Stores the root's prompt, pins tools, prompts and skills for all agents below it, and begins the transcript. */
export async function openRoot(
  dependencies: SharedDependencies,
  { settings: given, mayDelegate, controls, promptDefaults, record, prompt }: RootSpec,
): Promise<{ readonly opened: OpenedAgent; readonly settings: AgentSettings }> {
  const { store, transcriptCache, searchAttributes } = dependencies;
  const runStore = store.forRun(given.runId);
  const { refs, prompts, targets } = await pinRun(runStore, dependencies, { mayDelegate, promptDefaults });
  // Which prompts can be dispatched depends on the parameters that the root binds.
  const { parameters: bound } = prompt(targets({}), prompts).rendered;
  const available = availableTools(dependencies, targets(bound));
  const { definition, rendered, chooseTools } = prompt(targets(bound), prompts);
  const chosen = chooseTools?.(available) ?? available;
  const access = rootAccess(controls, chosen);
  const chosenModel = { ...given, ...asInput(() => promptSettings(definition, given)) };
  const { known, notes } = await settleModels(dependencies.model, chosenModel, targets(bound));
  const settings = { ...chosenModel, ...known };
  const opened = await openAgent({
    runStore,
    storeId: store.id,
    transcriptCache,
    searchAttributes,
    record: await putRenderedPrompt(runStore, rendered, { definition }),
    tools: permittedTools(chosen, access),
    access,
    pinned: refs,
    model: settings.model,
  });
  await putRootTools(runStore, opened.toolList);
  await recordRoot(runStore, { ...record, ...notes, settings }, opened);
  return { opened, settings };
}

/** What the store records about a root when it is opened, apart from what opening it returns. */
type RecordedInput = Omit<RootRecord, 'v' | 'opened' | 'at' | 'settings' | 'modelNotes'>;

function recordOf(input: OpenRunInput): RecordedInput {
  const { prompt, workspace } = input;
  return {
    goal: goalOf(input),
    relay: null,
    ...(prompt === undefined ? {} : { prompt: `${prompt.ns}/${prompt.key}` }),
    workspace: workspace?.root ?? null,
  };
}

function recordRoot(
  store: RunStore,
  record: RecordedInput & Pick<RootRecord, 'settings' | 'modelNotes'>,
  opened: OpenedAgent,
): Promise<void> {
  return putRootRecord(store, { ...record, opened, at: new Date().toISOString() });
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
