import { describeDispatchSkill } from '../domain/dispatch/dispatch-skill';
import { describeDispatchSubagent } from '../domain/dispatch/dispatch-subagent';
import { describeDispatchSubagents } from '../domain/dispatch/dispatch-subagents';
import type { PromptDefinition } from '../domain/prompt';
import type { SkillDefinition } from '../domain/skill';
import type { ToolDescription } from '../domain/tool/description';

/** What an agent may dispatch. */
export interface Dispatchable {
  readonly mayDelegate: boolean;
  /** Apart from skills. */
  readonly prompts: readonly PromptDefinition[];
  readonly skills: readonly SkillDefinition[];
}

export function dispatchTools({ mayDelegate, prompts, skills }: Dispatchable): ToolDescription[] {
  return [
    ...(prompts.length + skills.length === 0 ? [] : [describeDispatchSubagent()]),
    ...(skills.length === 0 ? [] : [describeDispatchSkill(skills)]),
    ...(mayDelegate ? [describeDispatchSubagents()] : []),
  ];
}
