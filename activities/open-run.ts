import type { PromptRecord } from '../domain/agent/prompt-record';
import { describeDispatchSkill } from '../domain/dispatch/dispatch-skill';
import { describeDispatchSubagent } from '../domain/dispatch/dispatch-subagent';
import { describeDispatchSubagents } from '../domain/dispatch/dispatch-subagents';
import { skillsSection } from '../domain/dispatch/skills-section';
import { promptSubagentToolsSection } from '../domain/dispatch/subagent-section';
import { subagentsSection } from '../domain/dispatch/subagents-section';
import { agentPrompt, renderPrompt, withSections, type PromptDefinition } from '../domain/prompt';
import { parseRunInput, type RunInput } from '../domain/run/input';
import type { OpenedAgent } from '../domain/run/progress';
import type { SkillDefinition } from '../domain/skill';
import type { RunStore } from '../domain/store/store';
import type { ToolDescription } from '../domain/tool/description';
import { sha256 } from '../store/digest';
import { putRenderedPrompt } from '../store/prompts';
import { putRootTools } from '../store/root-tools';
import type { SharedDependencies } from './dependencies';
import { openAgent } from './open-agent';
import { pinPrompts } from './pin-prompts';

/** Checks the input, renders the root prompt, pins the tools and begins the transcript. */
export async function openRun(dependencies: SharedDependencies, unchecked: RunInput): Promise<OpenedAgent> {
  const { store, tools, prompts, transcriptCache, searchAttributes } = dependencies;
  const input = parseRunInput(unchecked);
  const runStore = store.forRun(input.runId);
  const pinned = await pinPrompts(runStore, dependencies);
  const mayDelegate = input.limits.maxDepth > 0;
  const dispatchable: Dispatchable = {
    mayDelegate,
    prompts: mayDelegate ? prompts.filter(({ enabled }) => enabled) : [],
    skills: mayDelegate ? pinned.definitions : [],
  };
  const opened = await openAgent({
    runStore,
    storeId: store.id,
    transcriptCache,
    searchAttributes,
    record: await rootPrompt(runStore, input, rootDefinition(dispatchable)),
    tools: [...tools.map(({ description }) => description), ...dispatchTools(dispatchable)],
    pinned: pinned.refs,
    model: input.model,
  });
  await putRootTools(runStore, opened.toolList);
  return opened;
}

interface Dispatchable {
  readonly mayDelegate: boolean;
  /** Apart from skills. */
  readonly prompts: readonly PromptDefinition[];
  readonly skills: readonly SkillDefinition[];
}

/** Tools come with the section that explains them. */
function rootDefinition({ mayDelegate, prompts, skills }: Dispatchable): PromptDefinition {
  const sections = [
    ...(prompts.length === 0 ? [] : [promptSubagentToolsSection(prompts)]),
    ...(skills.length === 0 ? [] : [skillsSection(skills)]),
    ...(mayDelegate ? [subagentsSection()] : []),
  ];
  return sections.length === 0 ? agentPrompt.definition : withSections(agentPrompt.definition, sections, 'answer');
}

export function dispatchTools({ mayDelegate, prompts, skills }: Dispatchable): ToolDescription[] {
  return [
    ...(prompts.length + skills.length === 0 ? [] : [describeDispatchSubagent()]),
    ...(skills.length === 0 ? [] : [describeDispatchSkill(skills)]),
    ...(mayDelegate ? [describeDispatchSubagents()] : []),
  ];
}

async function rootPrompt(
  runStore: RunStore,
  { goal, workspace }: RunInput,
  definition: PromptDefinition,
): Promise<PromptRecord> {
  const note =
    workspace === undefined
      ? {}
      : {
          workspace_note:
            'Your workspace is a copy of a folder: read and change it with your tools. Your changes reach the folder only when somebody applies them.',
        };
  const rendered = renderPrompt(definition, { parameters: agentPrompt.bind({ goal, ...note }), sha256 });
  const prompt = await putRenderedPrompt(runStore, rendered.markdown);
  return {
    version: 1,
    prompt,
    ns: rendered.ns,
    key: rendered.key,
    sections: rendered.sections.map(({ path, ...range }) => ({ path: [...path], ...range })),
    parameters: { ...rendered.parameters },
    output: rendered.output,
    transcript: rendered.composition.transcript,
    origin: { kind: 'rendered', definition },
  };
}
