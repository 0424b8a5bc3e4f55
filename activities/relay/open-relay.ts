import { addsToRequest, type AgentSettings } from '../../domain/agent';
import { skillSettings } from '../../domain/delegation/prepare';
import { formatFieldPath, InvalidInputError, type ResultOf } from '../../domain/kernel';
import {
  type openRelayActivity,
  type OpenRelayInput,
  parseOpenRelay,
  type RelayDefinition,
  UnknownRelayError,
} from '../../domain/relay';
import { checkRelaySkills, relayPrompt } from '../../domain/relay/prepare';
import type { SkillDefinition } from '../../domain/skill';
import { openRoot } from '../agent/open-run';
import { asInput, settingsFor } from '../agent/run-models';
import { renderRoot } from '../agent/registered-root';
import type { SharedDependencies } from '../dependencies';
import { requireUsableModel } from '../model/usable-model';

/** Checks a relay's input against this worker's skills, applies the defaults, and opens its root. */
export async function openRelay(
  dependencies: SharedDependencies,
  unchecked: OpenRelayInput,
): Promise<ResultOf<typeof openRelayActivity>> {
  const input = parseOpenRelay(unchecked);
  const { goal, workspace, delegation, promptDefaults, mcp } = input;
  const isNamed = typeof input.relay === 'string';
  const relay = typeof input.relay === 'string' ? await findRelay(dependencies, input.relay) : input.relay;
  const settings = settingsFor(dependencies, input);
  await requireUsableModels(dependencies, relay, settings);
  const { opened, settings: inForce } = await openRoot(dependencies, {
    settings,
    record: { goal, relay: relay.name, workspace: workspace?.root ?? null, input: { ...input, relay } },
    mayDelegate: true,
    controls: [relay.delegation, delegation],
    promptDefaults,
    mcp,
    prompt: ({ skills }) => {
      assertRelayFitsSkills(relay, settings, skills);
      return renderRoot({ port: dependencies.model, name: settings.model.name }, relayPrompt(relay), { goal });
    },
  });
  return { ...opened, ...(addsToRequest(input, inForce) ? { settings: inForce } : {}), ...(isNamed ? { relay } : {}) };
}

/** Checks the models of all steps now: otherwise a relay could fail at its last one. */
async function requireUsableModels(
  { model, skills }: Pick<SharedDependencies, 'model' | 'skills'>,
  { steps }: RelayDefinition,
  settings: AgentSettings,
): Promise<void> {
  const named = new Set(steps.map(({ skill }) => skill));
  const used = ((await skills?.()) ?? []).filter(({ name }) => named.has(name));
  const models = used.flatMap((skill) => {
    const { name, fallback = [] } = asInput(() => skillSettings(skill, settings)).model ?? settings.model;
    return [name, ...fallback];
  });
  for (const name of new Set(models)) await requireUsableModel(model, name);
}

async function findRelay({ relays }: Pick<SharedDependencies, 'relays'>, wanted: string): Promise<RelayDefinition> {
  const known = (await relays?.()) ?? [];
  const relay = known.find(({ name }) => name === wanted);
  if (relay !== undefined) return relay;
  throw new UnknownRelayError(
    wanted,
    known.map(({ name }) => name),
  );
}

function assertRelayFitsSkills(
  relay: RelayDefinition,
  { limits }: AgentSettings,
  skills: readonly SkillDefinition[],
): void {
  if (limits.maxDepth < 1) {
    throw new InvalidInputError('limits.maxDepth', 'each step of a relay is a delegation', 'Use at least 1.');
  }
  const [problem] = checkRelaySkills(relay, (name) => skills.find((skill) => skill.name === name));
  if (problem === undefined) return;
  throw new InvalidInputError(
    formatFieldPath(['relay', ...problem.path]),
    `${problem.message} (according to this worker's skills)`,
    'Start the worker in the folder that contains the skill: it reads skills from there.',
  );
}
