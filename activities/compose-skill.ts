import type { PromptRecord } from '../domain/agent/prompt-record';
import { skillComposition } from '../domain/dispatch/skill-composition';
import type { SkillRequest } from '../domain/dispatch/skill-request';
import { composeSkillPrompt, skillHash, skillPrompt, type AssembledContext } from '../domain/skill';
import type { BlobRef } from '../domain/store/blob-ref';
import type { RunStore } from '../domain/store/store';
import type { ToolDescription } from '../domain/tool/description';
import { putRenderedPrompt } from '../store/prompts';
import { composeOver } from './compose-delegation';
import type { DelegatingAgent } from './delegating-agent';

export interface SkillComposing {
  readonly request: SkillRequest;
  readonly context: AssembledContext;
  readonly delegationId: string;
  /** All that are at hand, not only the skill's. */
  readonly tools: readonly ToolDescription[];
  readonly depthLeft: boolean;
}

/** The agent that asks for a skill. */
export interface SkillParent {
  readonly agentId: string;
  readonly agent: DelegatingAgent;
  readonly prompt: BlobRef;
  /** When it asked, from recorded data. */
  readonly at: string;
}

/** The composite in the instructions of a six-section prompt, whose parent prompt is withheld. */
export function composeSkillBelow(
  { request, context, ...facts }: SkillComposing,
  { agentId, agent, prompt, at }: SkillParent,
): PromptRecord {
  const composite = composeSkillPrompt(callOf(request, context), 4);
  const { ns, key, sections } = agent.record;
  const input = skillComposition({ ...facts, request, parent: { agentId, ns, key, sections }, at }, composite.markdown);
  const record = composeOver({ prompt, bytes: agent.prompt }, input, composite);
  return { ...record, skill: identityOf(request) };
}

/** The composite alone, for a skill that stands below no agent. */
export async function renderSkillAlone(store: RunStore, { request, context }: SkillComposing): Promise<PromptRecord> {
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
