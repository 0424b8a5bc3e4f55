import type { PromptDefinition } from '../definition/schema';
import { agentPrompt } from './agent';
import { subagentPrompt } from './subagent';

export { agentPrompt, subagentPrompt };

/** Prompts that agents may dispatch without anything having been set up. */
export const builtinPrompts: readonly PromptDefinition[] = [subagentPrompt.definition];
