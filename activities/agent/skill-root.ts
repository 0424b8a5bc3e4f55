import type { AgentSettings, OpenedRoot, OpenRunInput } from '../../domain/agent';
import type { SettingsOverrides, SkillRequest } from '../../domain/delegation';
import { skillSettings } from '../../domain/delegation/prepare';
import { InvalidInputError, type JsonObject } from '../../domain/kernel';
import { type SkillDefinition, validateSkillInput } from '../../domain/skill';
import type { BlobRef, RunStore } from '../../domain/store';
import type { PinnedAccess, ToolDescription } from '../../domain/tool';
import { putRootTools } from '../../store/prompts';
import { findSkill } from '../delegation/check-dispatch';
import { openSkillAgent } from '../delegation/prepare-skill';
import type { SharedDependencies } from '../dependencies';
import { requireUsableModel } from '../model/usable-model';
import type { PinnedDefinitions } from './open-agent';

/** What a run has pinned before its root is opened. */
export interface PinnedRun {
  readonly runStore: RunStore;
  readonly refs: PinnedDefinitions;
  readonly skills: readonly SkillDefinition[];
  /** All tools that a root can have. */
  readonly available: readonly ToolDescription[];
  /** Tools of MCP servers that the run grants to its root. */
  readonly granted: readonly ToolDescription[];
  /** Access to them that the controls of the run leave. */
  readonly access: PinnedAccess | undefined;
}

/** Depth of the agent above a root, which does not exist. */
const aboveRoot = -1;

/**
 * Opens a root that has a skill. Its prompt is the skill's composite prompt alone, and the skill's tools, model, limits and
 * output format apply, as far as the run allows them. `tree` is the imported folder, whose files the skill injects.
 */
export async function openSkillRoot(
  dependencies: SharedDependencies,
  { runStore, refs, skills, available, granted, access }: PinnedRun,
  input: OpenRunInput,
  settings: AgentSettings,
): Promise<OpenedRoot> {
  const request = skillRequest(skills, input);
  const { opened, settings: own = {} } = await openSkillAgent(dependencies, runStore, request, {
    delegationId: settings.runId,
    storeId: dependencies.store.id,
    settings,
    depth: aboveRoot,
    // Only the listed ones: with nobody above it, a root has nobody to request others from.
    tools: available.filter(({ name }) => request.skill.tools.includes(name)),
    granted,
    access,
    pinned: refs,
    searchAttributes: dependencies.searchAttributes,
    workspace: filesOf(input.tree),
    snapshot: { slices: {} },
    parent: null,
  });
  await putRootTools(runStore, opened);
  return { ...opened, ...settingsInForce(settings, own) };
}

/** Checks everything about a root's skill that does not depend on files, before a folder is imported for it. */
export async function checkSkillRoot(
  { skills, model }: Pick<SharedDependencies, 'skills' | 'model'>,
  input: OpenRunInput,
  settings: AgentSettings,
): Promise<void> {
  const request = skillRequest((await skills?.()) ?? [], input);
  validateSkillInput(request.skill, request.input);
  const own = skillSettings(request.skill, settings);
  await requireUsableModel(model, (own.model ?? settings.model).name);
}

function filesOf(tree: BlobRef | undefined): { readonly root: BlobRef; readonly changes: [] } | null {
  return tree === undefined ? null : { root: tree, changes: [] };
}

/** Finds the skill, and merges the run's goal into its input. */
function skillRequest(skills: readonly SkillDefinition[], { skill, goal }: OpenRunInput): SkillRequest {
  const { name = '', input = {} } = skill ?? {};
  return { skill: findSkill(skills, name), input: withGoal(input, goal), planStep: undefined, expectedArtifacts: [] };
}

function withGoal(input: JsonObject, goal: string | undefined): JsonObject {
  if (goal === undefined) return input;
  if (input['goal'] === undefined || input['goal'] === goal) return { ...input, goal };
  throw new InvalidInputError('goal', 'skill.input has another goal', 'Give the goal in one of the two places.');
}

/** The run's settings with those of the skill. The time that the skill allows counts from the moment the run begins. */
function settingsInForce(
  settings: AgentSettings,
  { budgetTokens, deadlineSeconds, ...own }: SettingsOverrides,
): Pick<OpenedRoot, 'settings' | 'deadlineSeconds'> {
  const { budget = {} } = settings;
  const tokens = [budget.tokens, budgetTokens].filter((limit) => limit !== undefined);
  return {
    settings: {
      ...settings,
      ...own,
      ...(tokens.length === 0 ? {} : { budget: { ...budget, tokens: Math.min(...tokens) } }),
    },
    ...(deadlineSeconds === undefined ? {} : { deadlineSeconds }),
  };
}
