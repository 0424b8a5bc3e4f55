import type { SkillRequest } from '../../domain/delegation';
import { buildSkillComposition, type ControlsInForce } from '../../domain/delegation/prepare';
import type { PromptRecord } from '../../domain/prompt';
import { type AssembledContext, composeSkillPrompt, skillHash, skillPrompt } from '../../domain/skill';
import type { BlobRef, RunStore } from '../../domain/store';
import type { ToolDescription } from '../../domain/tool';
import { putRenderedPrompt } from '../../store/prompts';
import { composeFromParent } from './compose-delegation';
import type { DelegatingAgent } from './delegating-agent';

/** Everything that the composition of a skill's prompt depends on. */
export interface SkillCompositionRequest {
  readonly request: SkillRequest;
  readonly context: AssembledContext;
  readonly delegationId: string;
  /** All available tools, not only the skill's. */
  readonly tools: readonly ToolDescription[];
  /** Whether an agent below the skill's would be within the maximum depth. */
  readonly depthLeft: boolean;
  readonly inForce: ControlsInForce;
}

/** The agent that dispatches a skill. */
export interface SkillParent {
  /** Workflow id of the parent. */
  readonly agentId: string;
  readonly agent: DelegatingAgent;
  readonly prompt: BlobRef;
  /** Workflow time of the call, in ISO 8601. */
  readonly at: string;
}

/**
 * Composes a six-section prompt with the skill's composite prompt in its instructions. The parent prompt is withheld,
 * unless the skill says otherwise.
 */
export function composeSkillDelegation(
  { request, context, inForce, ...facts }: SkillCompositionRequest,
  { agentId, agent, prompt, at }: SkillParent,
): PromptRecord {
  const composite = composeSkillPrompt(callOf(request, context), 4);
  const { ns, key, sections } = agent.record;
  const input = buildSkillComposition(
    { ...facts, request, parent: { agentId, ns, key, sections }, at },
    composite.markdown,
  );
  const record = composeFromParent({ prompt, bytes: agent.prompt }, input, composite, inForce);
  return { ...record, skill: identityOf(request) };
}

/** Renders the composite prompt alone, for a skill without a parent agent. */
export async function renderStandaloneSkill(
  store: RunStore,
  { request, context }: SkillCompositionRequest,
): Promise<PromptRecord> {
  const headingLevel = 1;
  const composite = composeSkillPrompt(callOf(request, context), headingLevel);
  const record = await putRenderedPrompt(store, composite, { definition: skillPrompt(request.skill), headingLevel });
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
