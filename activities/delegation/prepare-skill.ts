import { type AgentSettings, maxToolTokens } from '../../domain/agent';
import {
  delegationIdentity,
  DispatchRefusedError,
  headlineOf,
  omitNulls,
  type PreparedDelegation,
  type ReadyDelegation,
  type SettingsOverrides,
  type SkillRequest,
} from '../../domain/delegation';
import {
  type ControlsInForce,
  controlsInForce,
  type PrepareSkillInput,
  skillSettings,
  skillTools,
} from '../../domain/delegation/prepare';
import { delegationId, DomainError, type JsonObject } from '../../domain/kernel';
import { type SkillDefinition, skillDefinitionSchema, skillNamespace, validateSkillInput } from '../../domain/skill';
import type { RunStore } from '../../domain/store';
import {
  dispatchSkillName,
  offerTools,
  permittedTools,
  type PinnedAccess,
  type ToolDescription,
  toolDescriptionSchema,
} from '../../domain/tool';
import { getJson, readSpilled } from '../../store/blobs';
import { openAgent, type PinnedDefinitions } from '../agent/open-agent';
import { callingAgent } from '../attempt';
import { requireCommands } from '../command/commands';
import { runStoreFor, type SharedDependencies } from '../dependencies';
import { grantedTools, withGranted } from '../mcp/granted-tools';
import { resolveSnapshot } from '../session/snapshots';
import { assembleSkillContext, type SkillContextSources } from '../skill/gather-context';
import { findSkill, prepareOnce, requestRecord, requireSnapshot } from './check-dispatch';
import { composeSkillDelegation, renderStandaloneSkill, type SkillParent } from './compose-skill';
import { isShownBy } from './delegating-agent';
import { requireRoomToWork } from './room-to-work';
import { requireSkillModel } from './skill-model';

/** Composes the prompt of a skill without a parent prompt, such as a step of a relay. Starts nothing. */
export async function prepareSkill(
  dependencies: SharedDependencies,
  input: PrepareSkillInput,
): Promise<PreparedDelegation> {
  const store = runStoreFor(dependencies.store, input);
  const { skill, task, ordinal, runId } = input;
  const given = await completeInput(store, input);
  const tools = await getJson(store, input.tools, toolDescriptionSchema.array(), 'tools of the run');
  const payload = { skill, input: given, ...(task === undefined ? {} : { task }) };
  const facts = { parentPrompt: null, payload, ordinal };
  const id = delegationId(delegationIdentity({ ...facts, tools, parentDelegationId: null, runId }));
  const place = input.place === undefined ? {} : { place: input.place };
  const record = requestRecord({ ...facts, ...place, parent: callingAgent(), tools: input.tools });
  return prepareOnce(store, { id, tool: dispatchSkillName, parentPromptKey: null, record }, async () => {
    requireSnapshot(input);
    const skills = await getJson(store, input.skills, skillDefinitionSchema.array(), 'skills of the run');
    const request: SkillRequest = {
      skill: findSkill(skills, skill),
      input: given,
      task,
      planStep: undefined,
      expectedArtifacts: input.expectedArtifacts ?? [],
    };
    return openSkillAgent(dependencies, store, request, {
      delegationId: id,
      storeId: input.storeId,
      settings: input.settings,
      depth: input.depth,
      tools,
      access: input.access,
      pinned: { prompts: input.prompts, skills: input.skills },
      searchAttributes: input.searchAttributes,
      workspace: input.workspace,
      snapshot: await resolveSnapshot(store, input.snapshot),
      parent: null,
    });
  });
}

async function completeInput(store: RunStore, { skill, input, texts = {} }: PrepareSkillInput): Promise<JsonObject> {
  const loaded = await Promise.all(
    Object.entries(texts).map(async ([name, text]): Promise<[string, string]> => {
      return [name, await readSpilled(store, text, `input "${name}" of the skill ${skill}`)];
    }),
  );
  return { ...input, ...Object.fromEntries(loaded) };
}

/** Position and surroundings of a skill's agent. */
interface SkillPlace extends SkillContextSources {
  readonly delegationId: string;
  readonly storeId: string;
  readonly settings: Omit<AgentSettings, 'runId'>;
  /** Depth of the agent that runs the skill as a delegation; 0 for a root. */
  readonly depth: number;
  /** All tools available there, from which the skill selects. */
  readonly tools: readonly ToolDescription[];
  /** Tools of MCP servers that the run grants, if the agent is its root. Default: none. */
  readonly granted?: readonly ToolDescription[];
  /** Restricted and revoked tools there. */
  readonly access: PinnedAccess | undefined;
  readonly pinned: PinnedDefinitions;
  readonly searchAttributes: boolean;
  /** The parent; null when the prompt is the composite alone. */
  readonly parent: SkillParent | null;
}

/** Assembles the skill's context, composes its prompt and opens its agent. */
export async function openSkillAgent(
  dependencies: SharedDependencies,
  store: RunStore,
  given: SkillRequest,
  place: SkillPlace,
): Promise<ReadyDelegation> {
  const { skill } = given;
  const request = { ...given, input: omitNulls(skill.input, given.input) };
  validateSkillInput(skill, request.input);
  const { settings, parent, tools, storeId, pinned, searchAttributes } = place;
  const own = skillSettings(skill, settings);
  await requireSkillModel(dependencies.model, skill.name, (own.model ?? settings.model).name);
  requireSkillCommands(dependencies, own, place);
  const context = await assembleSkillContext(store, dependencies.treeCache, skill, place);
  const depthLeft = place.depth + 1 < settings.limits.maxDepth;
  const inForce = controlsOf(skill, place);
  const granted = withGranted(place.granted ?? [], await grantedTools(dependencies, store, skill.mcp));
  const held = withGranted(skillTools(skill, tools, depthLeft, own.commands), granted);
  const offer = offerTools(permittedTools(held, inForce.access), {
    maxTokens: maxToolTokens(settings.limits),
    ...(parent === null ? {} : { isFound: isShownBy(parent.agent) }),
  });
  const composing = { request, context, delegationId: place.delegationId, offer, granted, depthLeft, own, inForce };
  const record =
    parent === null ? await renderStandaloneSkill(store, composing) : composeSkillDelegation(composing, parent);
  const opened = await openAgent({
    runStore: store,
    storeId,
    transcriptCache: dependencies.transcriptCache,
    searchAttributes,
    record,
    tools: offer,
    access: inForce.access,
    pinned,
    model: own.model ?? settings.model,
    skill: { name: skill.name, injectedTokens: context.estimatedTokens },
  });
  await requireRoomToWork(dependencies, store, opened, { ...settings, ...own });
  return { ok: true, delegationId: place.delegationId, opened, ...describeRequest(request), settings: own };
}

/** A run that begins with the skill fails if the worker can't run its commands; an agent that dispatches it can do something else. */
function requireSkillCommands(
  { commands }: SharedDependencies,
  own: SettingsOverrides,
  { depth }: Pick<SkillPlace, 'depth'>,
): void {
  try {
    requireCommands(commands, own.commands);
  } catch (error) {
    if (depth < 0 || !(error instanceof DomainError)) throw error;
    const remedy = 'Choose another skill, or do the work yourself.';
    throw new DispatchRefusedError('skill', error.message, remedy, error.type);
  }
}

/** The parts of a prepared delegation that only depend on the request. */
function describeRequest(
  request: SkillRequest,
): Pick<
  ReadyDelegation,
  'promptNs' | 'promptKey' | 'planStepId' | 'expectedArtifacts' | 'describedOutputs' | 'headline'
> {
  const { skill, planStep, expectedArtifacts, describedOutputs = [] } = request;
  return {
    promptNs: skillNamespace,
    promptKey: skill.name,
    planStepId: planStep?.id ?? null,
    expectedArtifacts,
    ...(describedOutputs.length === 0 ? {} : { describedOutputs }),
    headline: headlineOf(request),
  };
}

function controlsOf(
  { delegation, approve }: SkillDefinition,
  { settings, access, parent }: SkillPlace,
): ControlsInForce {
  const withheldAbove = parent?.agent.record.withheld;
  const run = settings.delegation;
  return controlsInForce({ definition: delegation, approve, run, access, withheldAbove, chosenBy: 'skill' });
}
