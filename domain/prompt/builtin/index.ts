import type { PromptDefinition } from '../definition/schema';
import { agentPrompt } from './agent';

export { agentPrompt };

export const builtinPrompts: readonly PromptDefinition[] = [agentPrompt.definition];
