import type { PromptRecord } from '../domain/agent/prompt-record';
import { InvalidInputError } from '../domain/errors';
import { renderPrompt } from '../domain/prompt';
import { checkSkills, parseRelayInput, relayPrompt, type RelayInput } from '../domain/relay';
import type { OpenedAgent } from '../domain/run/progress';
import { fieldOf, type SkillDefinition } from '../domain/skill';
import type { RunStore } from '../domain/store/store';
import { sha256 } from '../store/digest';
import { putRenderedPrompt } from '../store/prompts';
import { putRootTools } from '../store/root-tools';
import type { SharedDependencies } from './dependencies';
import { openAgent } from './open-agent';
import { dispatchTools } from './open-run';
import { pinPrompts } from './pin-prompts';

/** Checks the input against the skills of this worker, and pins skills, prompts and tools for all steps. */
export async function openRelay(dependencies: SharedDependencies, unchecked: RelayInput): Promise<OpenedAgent> {
  const { store, tools, prompts, transcriptCache, searchAttributes } = dependencies;
  const input = parseRelayInput(unchecked);
  const runStore = store.forRun(input.runId);
  const pinned = await pinPrompts(runStore, dependencies);
  requireFit(input, pinned.definitions);
  const dispatchable = {
    mayDelegate: true,
    prompts: prompts.filter(({ enabled }) => enabled),
    skills: pinned.definitions,
  };
  const opened = await openAgent({
    runStore,
    storeId: store.id,
    transcriptCache,
    searchAttributes,
    record: await relayRecord(runStore, input),
    tools: [...tools.map(({ description }) => description), ...dispatchTools(dispatchable)],
    pinned: pinned.refs,
    model: input.model,
  });
  await putRootTools(runStore, opened.toolList);
  return opened;
}

function requireFit({ relay, limits }: RelayInput, skills: readonly SkillDefinition[]): void {
  if (limits.maxDepth < 1) {
    throw new InvalidInputError('limits.maxDepth', 'each step of a relay is a delegation', 'Allow at least 1.');
  }
  const [problem] = checkSkills(relay, (name) => skills.find((skill) => skill.name === name));
  if (problem === undefined) return;
  throw new InvalidInputError(
    fieldOf(['relay', ...problem.path]),
    `${problem.message}, as far as the worker knows`,
    'The worker reads skills from the folder in which it was started.',
  );
}

async function relayRecord(runStore: RunStore, { goal, relay }: RelayInput): Promise<PromptRecord> {
  const definition = relayPrompt(relay);
  const rendered = renderPrompt(definition, { parameters: { goal }, sha256 });
  return {
    version: 1,
    prompt: await putRenderedPrompt(runStore, rendered.markdown),
    ns: rendered.ns,
    key: rendered.key,
    sections: rendered.sections.map(({ path, ...range }) => ({ path: [...path], ...range })),
    parameters: { ...rendered.parameters },
    output: rendered.output,
    transcript: rendered.composition.transcript,
    origin: { kind: 'rendered', definition },
  };
}
