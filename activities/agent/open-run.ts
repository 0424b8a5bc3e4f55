import { skillsSection } from '../../domain/delegation/prepare/prompt-sections';
import { promptSubagentToolsSection } from '../../domain/delegation/prepare/subagent-section';
import { subagentsSection } from '../../domain/delegation/prepare/subagents-section';
import { agentPrompt, withSections, type PromptDefinition } from '../../domain/prompt';
import { parseRunInput, type RunInput } from '../../domain/agent/contract';
import type { OpenedAgent } from '../../domain/agent/progress';
import type { SharedDependencies } from '../dependencies';
import type { DispatchTargets } from './dispatchable';
import { openRoot } from './open-root';

const workspaceNote =
  'Your workspace is a copy of a folder. Read and change it with your tools. Your changes reach the original folder only if someone applies them later.';

/** Checks a run's input, and opens its root agent. */
export async function openRun(dependencies: SharedDependencies, unchecked: RunInput): Promise<OpenedAgent> {
  const { runId, model, goal, workspace, limits } = parseRunInput(unchecked);
  const note = workspace === undefined ? {} : { workspace_note: workspaceNote };
  return openRoot(dependencies, {
    runId,
    model,
    mayDelegate: limits.maxDepth > 0,
    prompt: (dispatchable) => ({
      definition: rootDefinition(dispatchable),
      parameters: agentPrompt.bind({ goal, ...note }),
    }),
  });
}

/** Adds the sections that explain the `dispatch_*` tools to the root prompt. */
function rootDefinition({ mayDelegate, prompts, skills }: DispatchTargets): PromptDefinition {
  const sections = [
    ...(prompts.length === 0 ? [] : [promptSubagentToolsSection(prompts)]),
    ...(skills.length === 0 ? [] : [skillsSection(skills)]),
    ...(mayDelegate ? [subagentsSection()] : []),
  ];
  return sections.length === 0 ? agentPrompt.definition : withSections(agentPrompt.definition, sections, 'answer');
}
