import { log } from '@temporalio/activity';
import type { SettingsOverrides, SkillRequest } from '../../domain/delegation';
import { type AgentEnvironment, buildSkillComposition, type ControlsInForce } from '../../domain/delegation/prepare';
import type { PromptRecord } from '../../domain/prompt';
import { type AssembledContext, composeSkillPrompt, skillHash, skillPrompt } from '../../domain/skill';
import type { RunStore } from '../../domain/store';
import type { OfferedTools, ToolDescription } from '../../domain/tool';
import { putRenderedPrompt } from '../../store/prompts';
import { composeFromParent } from './compose-delegation';
import type { DelegatingAgent } from './delegating-agent';

/** Everything that the composition of a skill's prompt depends on. */
export interface SkillCompositionRequest {
  readonly request: SkillRequest;
  readonly context: AssembledContext;
  readonly delegationId: string;
  /** The tools of the skill's agent. */
  readonly offer: OfferedTools;
  /** Tools of MCP servers that the skill or the run grants. */
  readonly granted: readonly ToolDescription[];
  /** Whether an agent below the skill's would be within the maximum depth. */
  readonly depthLeft: boolean;
  readonly inForce: ControlsInForce;
  /** Settings in which the skill's agent differs from its parent. */
  readonly own: SettingsOverrides;
}

/** The agent that dispatches a skill. */
export interface SkillParent {
  /** Workflow id of the parent. */
  readonly agentId: string;
  readonly agent: DelegatingAgent;
  /** What is certain about the environment of its delegations. */
  readonly environment: Omit<AgentEnvironment, 'tools' | 'deferred' | 'own'>;
}

/**
 * Composes a six-section prompt with the skill's composite prompt in its instructions. The parent prompt is withheld,
 * unless the skill says otherwise.
 */
export function composeSkillDelegation(
  { request, context, inForce, own, ...facts }: SkillCompositionRequest,
  { agentId, agent, environment: inherited }: SkillParent,
): PromptRecord {
  const composite = composeSkillPrompt(callOf(request, context), 4);
  const { ns, key, sections, prompt } = agent.record;
  const environment = { ...inherited, own };
  const input = buildSkillComposition(
    { ...facts, tools: agent.tools, request, parent: { agentId, ns, key, sections }, at: inherited.at, environment },
    composite.markdown,
  );
  const record = composeFromParent({ prompt, bytes: agent.prompt }, input, composite, inForce);
  return { ...record, skill: identityOf(request) };
}

/** Renders the composite prompt alone, for a skill without a parent agent. */
export async function renderStandaloneSkill(
  store: RunStore,
  { request, context, delegationId }: SkillCompositionRequest,
): Promise<PromptRecord> {
  const headingLevel = 1;
  const composite = composeSkillPrompt(callOf(request, context), headingLevel);
  const record = await putRenderedPrompt(store, composite, { definition: skillPrompt(request.skill), headingLevel });
  const sections = record.sections.map(({ path }) => path.join('/'));
  log.info('Rendered the prompt of a skill', {
    delegationId,
    skill: request.skill.name,
    sections,
    promptBytes: record.prompt.bytes,
  });
  return { ...record, skill: identityOf(request) };
}

function callOf(
  { skill, input, task }: SkillRequest,
  context: AssembledContext,
): Parameters<typeof composeSkillPrompt>[0] {
  return { skill, context, input, ...(task === undefined ? {} : { task }) };
}

function identityOf({ skill }: SkillRequest): { name: string; hash: string } {
  return { name: skill.name, hash: skillHash(skill) };
}
