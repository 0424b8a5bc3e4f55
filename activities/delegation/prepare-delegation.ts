import {
  delegationIdentity,
  type DispatchSubagentParameters,
  type PreparedDelegation,
  type ReadyDelegation,
  skillInputFromInstructions,
  type SkillRequest,
} from '../../domain/delegation';
import type { PrepareDelegationInput } from '../../domain/delegation/prepare';
import { delegationId } from '../../domain/kernel';
import { skillNamespace } from '../../domain/skill';
import type { RunStore } from '../../domain/store';
import { dispatchSkillName, isDispatchTool } from '../../domain/tool';
import { readSpilled } from '../../store/blobs';
import { openAgent } from '../agent/open-agent';
import { runStoreFor, type SharedDependencies } from '../dependencies';
import { resolveSnapshot } from '../session/snapshots';
import { checkDispatch, checkSkillDispatch, findPlanStep, prepareOnce, requestRecord } from './check-dispatch';
import { composeDelegation } from './compose-delegation';
import type { DelegatingAgent } from './delegating-agent';
import { openSkillAgent } from './prepare-skill';

/** Checks a call of `dispatch_subagent` or `dispatch_skill` and composes the child's prompt. Starts nothing. */
export async function prepareDelegation(
  dependencies: SharedDependencies,
  input: PrepareDelegationInput,
): Promise<PreparedDelegation> {
  const store = runStoreFor(dependencies.store, input);
  const { opened } = input.parent;
  const payload: unknown = JSON.parse(
    await readSpilled(store, input.call.input, `input of tool call ${input.call.id}`),
  );
  const parent = await dependencies.delegatingAgents.load(store, opened);
  // Computed before anything is checked, so that a refusal has an id too.
  const { ordinal, runId } = input;
  const facts = { parentPrompt: opened.prompt.hash, payload, ordinal };
  const id = delegationId(
    delegationIdentity({ ...facts, tools: parent.tools, parentDelegationId: input.parent.delegationId, runId }),
  );
  const asked: DelegationRequest = { dependencies, store, input, id, payload, parent };
  const prepare = input.call.name === dispatchSkillName ? prepareSkillCall : prepareSubagent;
  const request = requestRecord({ ...facts, parent: input.parent.agentId, tools: opened.toolList });
  return prepareOnce(store, id, () => prepare(asked), request);
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
  const expectedArtifacts = parameters.expected_artifacts ?? [];
  return prepareSkillBelow(asked, {
    skill,
    input: skillInputFromInstructions(skill, parameters),
    planStep,
    expectedArtifacts,
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
    tools: parent.tools,
    pinned: opened,
    searchAttributes: opened.searchAttributes,
    workspace: input.workspace ?? null,
    snapshot: await resolveSnapshot(store, input.snapshot),
    parent: { agentId, agent: parent, prompt: opened.prompt, at: input.at },
  });
}

async function prepareFromRegistry(
  { dependencies, store, input, id, parent: { tools }, parent: agent }: DelegationRequest,
  parameters: DispatchSubagentParameters,
  step: SkillRequest['planStep'],
): Promise<ReadyDelegation> {
  const { opened: parent, depth } = input.parent;
  const mayDelegateFurther = depth + 1 < input.settings.limits.maxDepth;
  const record = composeDelegation(input, {
    delegationId: id,
    parent: agent,
    parameters,
    step,
    mayDelegateFurther,
  });
  const opened = await openAgent({
    runStore: store,
    storeId: input.storeId,
    transcriptCache: dependencies.transcriptCache,
    searchAttributes: parent.searchAttributes,
    record,
    tools: mayDelegateFurther ? tools : tools.filter(({ name }) => !isDispatchTool(name)),
    toolList: mayDelegateFurther ? parent.toolList : undefined,
    pinned: parent,
    model: input.settings.model,
  });
  return {
    ok: true,
    delegationId: id,
    opened,
    promptNs: parameters.prompt_ns,
    promptKey: parameters.prompt_key,
    planStepId: step?.id ?? null,
    expectedArtifacts: parameters.expected_artifacts ?? [],
    headline: parameters.instructions.split('\n', 1)[0]?.slice(0, 100) ?? '',
  };
}
