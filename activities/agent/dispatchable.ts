import { dispatchSkillTool } from '../../domain/delegation/dispatch-skill';
import { dispatchSubagentTool } from '../../domain/delegation/dispatch-subagent';
import { dispatchSubagentsTool } from '../../domain/delegation/dispatch-subagents';
import type { PromptDefinition } from '../../domain/prompt';
import type { SkillDefinition } from '../../domain/skill';
import type { ToolDescription } from '../../domain/tool/description';

/** The prompts and skills that an agent may dispatch. */
export interface DispatchTargets {
  /** Whether the agent may use `dispatch_subagents`. */
  readonly mayDelegate: boolean;
  /** Prompts other than skills. */
  readonly prompts: readonly PromptDefinition[];
  readonly skills: readonly SkillDefinition[];
}

/** Returns the `dispatch_*` tools that have something to dispatch. */
export function dispatchTools({ mayDelegate, prompts, skills }: DispatchTargets): ToolDescription[] {
  return [
    ...(prompts.length + skills.length === 0 ? [] : [dispatchSubagentTool()]),
    ...(skills.length === 0 ? [] : [dispatchSkillTool(skills)]),
    ...(mayDelegate ? [dispatchSubagentsTool()] : []),
  ];
}
