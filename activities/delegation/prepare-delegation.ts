import { maxToolTokens } from '../../domain/agent';
import {
  delegationIdentity,
  type DispatchSubagentParameters,
  expectedOutputs,
  type PreparedDelegation,
  type ReadyDelegation,
  skillInputFromInstructions,
  type SkillRequest,
} from '../../domain/delegation';
import {
  type AgentEnvironment,
  type ControlsInForce,
  controlsInForce,
  type PrepareDelegationInput,
  promptSettings,
} from '../../domain/delegation/prepare';
import { delegationId } from '../../domain/kernel';
import type { PromptDefinition } from '../../domain/prompt';
import { skillNamespace } from '../../domain/skill';
import type { RunStore } from '../../domain/store';
import {
  dispatchSkillName,
  heldTools,
  isDispatchTool,
  type OfferedTools,
  offerTools,
  permittedTools,
  type ToolDescription,
} from '../../domain/tool';
import { readSpilled } from '../../store/blobs';
import { openAgent } from '../agent/open-agent';
import { runStoreFor, type SharedDependencies } from '../dependencies';
import { grantedTools, withGranted } from '../mcp/granted-tools';
import { resolveSnapshot } from '../session/snapshots';
import { workspaceSize } from '../workspace/stored-workspace';
import { checkDispatch, checkSkillDispatch, findPlanStep, prepareOnce, requestRecord } from './check-dispatch';
import { composeDelegation } from './compose-delegation';
import { type DelegatingAgent, isShownBy, withTranscriptAt } from './delegating-agent';
import { openSkillAgent } from './prepare-skill';
import { requireRoomToWork } from './room-to-work';
import { requireSkillModel } from './skill-model';

/** Checks one call of `dispatch_subagent` or `dispatch_skill` and composes the child's prompt. Starts nothing. */
export async function prepareDelegation(
  dependencies: SharedDependencies,
  input: PrepareDelegationInput,
): Promise<PreparedDelegation> {
  const store = runStoreFor(dependencies.store, input);
  const { opened } = input.parent;
  const payload: unknown = JSON.parse(
    await readSpilled(store, input.call.input, `input of tool call ${input.call.id}`),
  );
  const agent = await dependencies.delegatingAgents.load(store, opened);
  // Computed before anything is checked, so that a refusal has an id too.
  const { ordinal, runId } = input;
  const facts = { parentPrompt: opened.prompt.hash, payload, ordinal };
  const id = delegationId(
    delegationIdentity({ ...facts, tools: agent.tools, parentDelegationId: input.parent.delegationId, runId }),
  );
  const { name: tool } = input.call;
  const { ns, key } = agent.record;
  const request = requestRecord({ ...facts, parent: input.parent.agentId, tools: opened.toolList });
  return prepareOnce(store, { id, tool, parentPromptKey: `${ns}/${key}`, record: request }, async () => {
    const parent = await withTranscriptAt(store, dependencies.transcriptCache, agent, input.parent.head);
    const asked: DelegationRequest = { dependencies, store, input, id, payload, parent };
    return tool === dispatchSkillName ? prepareSkillCall(asked) : prepareSubagent(asked);
  });
}

interface DelegationRequest {
  readonly dependencies: SharedDependencies;
  readonly store: RunStore;
  readonly input: PrepareDelegationInput;
  readonly id: string;
  readonly payload: unknown;
  readonly parent: DelegatingAgent;
}

async function prepareSkillCall(asked: DelegationRequest): Promise<ReadyDelegation> {
  const { skill, input } = checkSkillDispatch(asked.payload, asked.input, asked.parent.skills);
  return prepareSkillBelow(asked, { skill, input, planStep: undefined, expectedArtifacts: [] });
}

async function prepareSubagent(asked: DelegationRequest): Promise<ReadyDelegation> {
  const { input, store } = asked;
  const parameters = checkDispatch(asked.payload, input);
  const planStep = findPlanStep(parameters, await resolveSnapshot(store, input.snapshot));
  const skill = asked.parent.skills.find(
    ({ name }) => parameters.prompt_ns === skillNamespace && parameters.prompt_key === name,
  );
  if (skill === undefined) return prepareFromRegistry(asked, parameters, planStep);
  const { names, descriptions } = expectedOutputs(parameters.expected_artifacts ?? []);
  return prepareSkillBelow(asked, {
    skill,
    input: skillInputFromInstructions(skill, parameters),
    planStep,
    expectedArtifacts: names,
    describedOutputs: descriptions,
  });
}

async function prepareSkillBelow(asked: DelegationRequest, request: SkillRequest): Promise<ReadyDelegation> {
  const { dependencies, store, input, id, parent } = asked;
  const { opened, agentId, depth } = input.parent;
  return openSkillAgent(dependencies, store, request, {
    delegationId: id,
    storeId: input.storeId,
    settings: input.settings,
    depth,
    tools: heldTools({ shown: parent.tools, deferred: parent.deferred }),
    access: opened.access,
    pinned: opened,
    searchAttributes: opened.searchAttributes,
    workspace: input.workspace ?? null,
    snapshot: await resolveSnapshot(store, input.snapshot),
    parent: { agentId, agent: parent, environment: await environmentOf(asked) },
  });
}

async function prepareFromRegistry(
  asked: DelegationRequest,
  parameters: DispatchSubagentParameters,
  step: SkillRequest['planStep'],
): Promise<ReadyDelegation> {
  const { dependencies, store, input, id, parent: agent } = asked;
  const { opened: parent } = input.parent;
  const own = await ownSettings(asked, parameters);
  const settings = { ...input.settings, ...own.settings };
  const inForce = controlsOf(agent, input, parameters);
  const { mayDelegateFurther, granted, tools } = await decideTools(asked, parameters, inForce);
  const record = composeDelegation(input, {
    delegationId: id,
    parent: agent,
    parameters,
    step,
    mayDelegateFurther,
    inForce,
    granted,
    environment: { ...(await environmentOf(asked)), tools: tools.shown, deferred: tools.deferred.length },
  });
  const opened = await openAgent({
    runStore: store,
    storeId: input.storeId,
    transcriptCache: dependencies.transcriptCache,
    searchAttributes: parent.searchAttributes,
    record,
    tools,
    toolList: tools.shown === agent.tools ? parent.toolList : undefined,
    access: inForce.access,
    pinned: parent,
    model: settings.model,
  });
  await requireRoomToWork(dependencies, store, opened, settings);
  return { ok: true, delegationId: id, opened, planStepId: step?.id ?? null, ...describeCall(parameters), ...own };
}

/** Decides which tools the delegation has, and which of them are deferred. */
async function decideTools(
  { dependencies, store, input, parent: agent }: DelegationRequest,
  parameters: DispatchSubagentParameters,
  { access }: ControlsInForce,
): Promise<{
  readonly mayDelegateFurther: boolean;
  readonly granted: readonly ToolDescription[];
  readonly tools: OfferedTools;
}> {
  const { limits } = input.settings;
  const mayDelegateFurther = input.parent.depth + 1 < limits.maxDepth;
  const granted = await grantedTools(dependencies, store, definitionOf(agent, parameters)?.mcp);
  const held = withGranted(heldTools({ shown: agent.tools, deferred: agent.deferred }), granted);
  const usable = mayDelegateFurther ? held : held.filter(({ name }) => !isDispatchTool(name));
  const limit = { maxTokens: maxToolTokens(limits), isFound: isShownBy(agent) };
  return { mayDelegateFurther, granted, tools: offerTools(permittedTools(usable, access), limit) };
}

/** Returns the settings in which the prompt differs from its parent, if it does. This worker must be able to call its model. */
async function ownSettings(
  { dependencies, input, parent: { registry } }: DelegationRequest,
  { prompt_ns: ns, prompt_key: key }: DispatchSubagentParameters,
): Promise<Pick<ReadyDelegation, 'settings'>> {
  // A prompt that does not exist is refused when it is rendered.
  const own = registry.has(ns, key) ? promptSettings(registry.get(ns, key), input.settings) : {};
  if (own.model === undefined) return {};
  await requireSkillModel(dependencies.model, key, own.model.name, 'prompt_key');
  return { settings: own };
}

/** The parts of a prepared delegation that only depend on the call. */
function describeCall(
  parameters: DispatchSubagentParameters,
): Pick<ReadyDelegation, 'promptNs' | 'promptKey' | 'expectedArtifacts' | 'describedOutputs' | 'headline'> {
  const { names, descriptions } = expectedOutputs(parameters.expected_artifacts ?? []);
  return {
    promptNs: parameters.prompt_ns,
    promptKey: parameters.prompt_key,
    expectedArtifacts: names,
    ...(descriptions.length === 0 ? {} : { describedOutputs: descriptions }),
    headline: parameters.instructions.split('\n', 1)[0]?.slice(0, 100) ?? '',
  };
}

/** The prompt that is dispatched. One that does not exist is refused when it is rendered. */
function definitionOf(
  { registry }: DelegatingAgent,
  { prompt_ns: ns, prompt_key: key }: DispatchSubagentParameters,
): PromptDefinition | undefined {
  return registry.has(ns, key) ? registry.get(ns, key) : undefined;
}

const nothing: Pick<PromptDefinition, 'delegation' | 'approve'> = {};

function controlsOf(
  agent: DelegatingAgent,
  { settings, parent }: PrepareDelegationInput,
  parameters: DispatchSubagentParameters,
): ControlsInForce {
  const { access } = parent.opened;
  const { delegation: definition, approve } = definitionOf(agent, parameters) ?? nothing;
  const { withheld: withheldAbove } = agent.record;
  const run = settings.delegation;
  return controlsInForce({ definition, approve, run, access, withheldAbove, chosenBy: 'prompt_key' });
}

/** What is certain about the environment of a delegation, apart from what depends on its prompt or skill. */
async function environmentOf({
  dependencies,
  store,
  input,
}: DelegationRequest): Promise<Omit<AgentEnvironment, 'tools' | 'deferred' | 'own'>> {
  const { at, settings, parent, workspace = null, millisecondsLeft, unspent } = input;
  return {
    at,
    settings,
    millisecondsLeft,
    unspent,
    depth: parent.depth + 1,
    workspace: workspace === null ? null : await workspaceSize(store, workspace, dependencies.treeCache),
  };
}
