import {
  addsToRequest,
  type AgentSettings,
  type DelegationControls,
  goalOf,
  maxToolTokens,
  type OpenedAgent,
  type OpenedRoot,
  type OpenRunInput,
  parseOpenRun,
  type RootRecord,
} from '../../domain/agent';
import {
  deferredToolsSection,
  promptSettings,
  promptSubagentToolsSection,
  skillSettings,
  skillsSection,
  subagentsSection,
} from '../../domain/delegation/prepare';
import { InvalidInputError } from '../../domain/kernel';
import { type McpGrants, mayGrant, mergeGrants } from '../../domain/mcp';
import {
  agentPrompt,
  type PromptDefaults,
  type PromptDefinition,
  requireSoundControls,
  withSections,
} from '../../domain/prompt';
import {
  narrowAccess,
  type OfferedTools,
  offerTools,
  permittedTools,
  type PinnedAccess,
  type ToolDescription,
  withApprovals,
} from '../../domain/tool';
import type { SkillDefinition } from '../../domain/skill';
import type { RunStore } from '../../domain/store';
import { putRenderedPrompt, putRootTools } from '../../store/prompts';
import { putRootRecord } from '../../store/run-record';
import { findSkill } from '../delegation/check-dispatch';
import type { SharedDependencies } from '../dependencies';
import { grantedTools, withGranted } from '../mcp/granted-tools';
import type { ModelInUse } from './describe-output';
import { openAgent } from './open-agent';
import { availableTools, type DispatchTargets, pinRun } from './pin-run';
import { withQuestions, withRules } from './root-approvals';
import { parametersOf, registeredRoot, renderRoot, type RootPrompt } from './registered-root';
import { asInput, settingsFor, settleModels } from './run-models';
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
  const settings = settingsFor(dependencies, input);
  const mayDelegate = settings.limits.maxDepth > 0;
  if (skill !== undefined) {
    const runStore = dependencies.store.forRun(runId);
    const { targets, ...pinned } = await pinRun(runStore, dependencies, { mayDelegate, promptDefaults });
    const available = withQuestions(availableTools(dependencies, targets({}), settings.commands), settings);
    const granted = await grantedTools(dependencies, runStore, input.mcp);
    const offered = withGranted(available, granted);
    const access = withRules(rootAccess([delegation], offered, pinned), dependencies, settings, offered);
    const own = asInput(() => skillSettings(findSkill(pinned.skills, skill.name), settings));
    const { known, notes } = await settleModels(dependencies.model, { ...settings, ...own }, targets({}));
    const root = await openSkillRoot(dependencies, { runStore, available, granted, access, ...pinned }, input, {
      ...settings,
      ...known,
    });
    const { settings: inForce = settings, deadlineSeconds, ...agent } = root;
    const time = deadlineSeconds === undefined ? {} : { deadlineSeconds };
    await recordRoot(runStore, { ...recordOf(input), ...notes, ...time, settings: inForce }, agent);
    return root;
  }
  const { name, fallback } = settings.model;
  const model = { port: dependencies.model, name, fallback };
  const { opened, settings: inForce } = await openRoot(dependencies, {
    settings,
    mayDelegate,
    controls: [delegation],
    promptDefaults,
    mcp: input.mcp,
    record: recordOf(input),
    prompt: (dispatchable, prompts, deferred = []) =>
      registeredRoot(model, input, prompts) ?? ownRoot(model, input, dispatchable, deferred),
    maxDescriptions: maxToolTokens(settings.limits),
  });
  return addsToRequest(input, inForce) ? { ...opened, settings: inForce } : opened;
}

/** Checks the input of a run whose folder has to be imported before its root can be opened. */
export async function checkRun(
  dependencies: SharedDependencies,
  unchecked: OpenRunInput,
): Promise<{ readonly storeId: string }> {
  const input = parseOpenRun(unchecked);
  await checkSkillRoot(dependencies, input, settingsFor(dependencies, input));
  return { storeId: dependencies.store.id };
}

/** Baton's own agent, which has all tools, and whose prompt explains what it can dispatch. */
function ownRoot(
  model: ModelInUse,
  input: OpenRunInput,
  dispatchable: DispatchTargets,
  deferred: readonly ToolDescription[],
): RootPrompt {
  const note: Record<string, string> = input.workspace === undefined ? {} : { workspace_note: workspaceNote };
  return renderRoot(model, rootDefinition(dispatchable, deferred), { ...note, ...parametersOf(input) });
}

/** Adds the sections that explain deferred tools and the `dispatch_*` tools to the root prompt. */
function rootDefinition(
  { mayDelegate, prompts, skills }: DispatchTargets,
  deferred: readonly ToolDescription[],
): PromptDefinition {
  const sections = [
    ...(deferred.length === 0 ? [] : [deferredToolsSection(deferred)]),
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
  /** MCP servers and tools of the root, in addition to those of its prompt. Default: none. */
  readonly mcp?: McpGrants | undefined;
  /**
   * Returns the root's prompt. Called with everything that can be dispatched, because the prompt describes it, and with all
   * prompts of the worker. `deferred` are the tools whose descriptions the model does not receive; none by default.
   */
  prompt(
    dispatchable: DispatchTargets,
    prompts: readonly PromptDefinition[],
    deferred?: readonly ToolDescription[],
  ): RootPrompt;
  /** Maximum estimated tokens of the descriptions of MCP tools. Default: unlimited, for a root that calls no model. */
  readonly maxDescriptions?: number;
}

/** Stores the root's prompt, pins tools, prompts and skills for all agents below it, and begins the transcript. */
export async function openRoot(
  dependencies: SharedDependencies,
  spec: RootSpec,
): Promise<{ readonly opened: OpenedAgent; readonly settings: AgentSettings }> {
  const { settings: given, mayDelegate, promptDefaults, record, prompt } = spec;
  const { store, transcriptCache, searchAttributes } = dependencies;
  const runStore = store.forRun(given.runId);
  const pinned = await pinRun(runStore, dependencies, { mayDelegate, promptDefaults });
  const { refs, prompts, targets } = pinned;
  // Which prompts can be dispatched depends on the parameters that the root binds.
  const { parameters: bound } = prompt(targets({}), prompts).rendered;
  const draft = prompt(targets(bound), prompts);
  const { access, tools } = await decideTools(dependencies, spec, draft, { ...pinned, targets: targets(bound) });
  const { definition, rendered } =
    tools.deferred.length === 0 ? draft : prompt(targets(bound), prompts, tools.deferred);
  const chosenModel = { ...given, ...asInput(() => promptSettings(definition, given)) };
  const { known, notes } = await settleModels(dependencies.model, chosenModel, targets(bound));
  const settings = { ...chosenModel, ...known };
  const opened = await openAgent({
    runStore,
    storeId: store.id,
    transcriptCache,
    searchAttributes,
    record: await putRenderedPrompt(runStore, rendered, { definition }),
    tools,
    access,
    pinned: refs,
    model: settings.model,
  });
  await putRootTools(runStore, opened);
  await recordRoot(runStore, { ...record, ...notes, settings }, opened);
  return { opened, settings };
}

interface Dispatchable {
  readonly targets: DispatchTargets;
  readonly prompts: readonly PromptDefinition[];
  readonly skills: readonly SkillDefinition[];
}

/** Decides which tools a root has, which of them are deferred, and what restricts them. */
async function decideTools(
  dependencies: SharedDependencies,
  { settings, mcp, controls, maxDescriptions = Infinity }: RootSpec,
  { definition, chooseTools }: RootPrompt,
  { targets, ...definitions }: Dispatchable,
): Promise<{ readonly access: PinnedAccess | undefined; readonly tools: OfferedTools }> {
  const runStore = dependencies.store.forRun(settings.runId);
  const available = withQuestions(availableTools(dependencies, targets, settings.commands), settings);
  const granted = await grantedTools(dependencies, runStore, mergeGrants(mcp, definition.mcp));
  const offered = withGranted(available, granted);
  const chosen = withGranted(chooseTools?.(offered) ?? offered, granted);
  const ruled = withRules(rootAccess(controls, chosen, definitions), dependencies, settings, chosen);
  const access = withApprovals(ruled, definition.approve);
  return { access, tools: offerTools(permittedTools(chosen, access), { maxTokens: maxDescriptions }) };
}

/** What the store records about a root when it is opened, apart from what opening it returns. */
type RecordedInput = Omit<RootRecord, 'v' | 'opened' | 'at' | 'settings' | 'modelNotes'>;

function recordOf(input: OpenRunInput): RecordedInput {
  const { tree: _tree, ...sent } = input;
  const { prompt, workspace } = sent;
  return {
    goal: goalOf(input),
    relay: null,
    ...(prompt === undefined ? {} : { prompt: `${prompt.ns}/${prompt.key}` }),
    workspace: workspace?.root ?? null,
    input: sent,
  };
}

function recordRoot(
  store: RunStore,
  record: RecordedInput & Pick<RootRecord, 'settings' | 'modelNotes' | 'deadlineSeconds'>,
  opened: OpenedAgent,
): Promise<void> {
  return putRootRecord(store, { ...record, opened, at: new Date().toISOString() });
}

/** A prompt or a skill that may grant tools of MCP servers to its agents. */
interface Granting {
  readonly mcp?: McpGrants | undefined;
}

/** Checks the controls of a run, and returns the access to tools that they leave. */
function rootAccess(
  controls: RootSpec['controls'],
  tools: readonly ToolDescription[],
  { prompts, skills }: { readonly prompts: readonly Granting[]; readonly skills: readonly Granting[] },
): PinnedAccess | undefined {
  const known = tools.map(({ name }) => name);
  const grants = [...prompts, ...skills].map(({ mcp }) => mcp);
  return controls.reduce<PinnedAccess | undefined>((access, part) => {
    requireSoundControls(part);
    const unknown = Object.keys(part?.tools ?? {}).find((name) => {
      return !known.includes(name) && !grants.some((granted) => mayGrant(granted, name));
    });
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
