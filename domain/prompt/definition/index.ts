import type { PromptDefinition } from './prompt-definition';
import { agentPrompt } from './agent';
import { subagentPrompt } from './subagent';

export { agentPrompt, subagentPrompt };

/** Prompts that agents can dispatch without any configuration. */
export const builtinPrompts: readonly PromptDefinition[] = [subagentPrompt.definition];
