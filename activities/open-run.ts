import type { PromptRecord } from '../domain/agent/prompt-record';
import { describeDispatchSubagent } from '../domain/dispatch/dispatch-subagent';
import { describeDispatchSubagents } from '../domain/dispatch/dispatch-subagents';
import { promptSubagentToolsSection } from '../domain/dispatch/subagent-section';
import { subagentsSection } from '../domain/dispatch/subagents-section';
import { agentPrompt, renderPrompt, withSections, type PromptDefinition } from '../domain/prompt';
import { parseRunInput, type RunInput } from '../domain/run/input';
import type { OpenedAgent } from '../domain/run/progress';
import { mediaTypes } from '../domain/store/blob-ref';
import type { RunStore } from '../domain/store/store';
import type { ToolDescription } from '../domain/tool/description';
import { sha256 } from '../store/digest';
import { putJson } from '../store/json-blobs';
import { putRootTools } from '../store/root-tools';
import type { SharedDependencies } from './dependencies';
import { openAgent } from './open-agent';

/** Checks the input, renders the root prompt, pins the tools and begins the transcript. */
export async function openRun(
  { store, tools, prompts, transcriptCache, searchAttributes }: SharedDependencies,
  unchecked: RunInput,
): Promise<OpenedAgent> {
  const input = parseRunInput(unchecked);
  const runStore = store.forRun(input.runId);
  const mayDelegate = input.limits.maxDepth > 0;
  const dispatchable = mayDelegate ? prompts.filter(({ enabled }) => enabled) : [];
  const opened = await openAgent({
    runStore,
    storeId: store.id,
    transcriptCache,
    searchAttributes,
    record: await rootPrompt(runStore, input, rootDefinition(mayDelegate, dispatchable)),
    tools: [...tools.map(({ description }) => description), ...dispatchTools(mayDelegate, dispatchable)],
    prompts: await putJson(runStore, prompts),
    model: input.model,
  });
  await putRootTools(runStore, opened.toolList);
  return opened;
}

/** Tools come with the section that explains them. */
function rootDefinition(mayDelegate: boolean, dispatchable: readonly PromptDefinition[]): PromptDefinition {
  const sections = [
    ...(dispatchable.length === 0 ? [] : [promptSubagentToolsSection(dispatchable)]),
    ...(mayDelegate ? [subagentsSection()] : []),
  ];
  return sections.length === 0 ? agentPrompt.definition : withSections(agentPrompt.definition, sections, 'answer');
}

function dispatchTools(mayDelegate: boolean, dispatchable: readonly PromptDefinition[]): ToolDescription[] {
  return [
    ...(dispatchable.length === 0 ? [] : [describeDispatchSubagent()]),
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
  const prompt = await runStore.put(Buffer.from(rendered.markdown), mediaTypes.markdown);
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
