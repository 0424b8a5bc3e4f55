import { type AgentSettings, areComplete, completeSettings } from '../../domain/agent';
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
import { renderRoot } from '../agent/registered-root';
import type { SharedDependencies } from '../dependencies';

/** Checks a relay's input against this worker's skills, applies the defaults, and opens its root. */
export async function openRelay(
  dependencies: SharedDependencies,
  unchecked: OpenRelayInput,
): Promise<ResultOf<typeof openRelayActivity>> {
  const input = parseOpenRelay(unchecked);
  const { runId, goal, workspace, delegation, promptDefaults } = input;
  const isNamed = typeof input.relay === 'string';
  const relay = typeof input.relay === 'string' ? await findRelay(dependencies, input.relay) : input.relay;
  const settings = completeSettings(input, dependencies.modelDefaults);
  const opened = await openRoot(dependencies, {
    runId,
    model: settings.model,
    record: { goal, relay: relay.name, workspace: workspace?.root ?? null, settings },
    mayDelegate: true,
    controls: [relay.delegation, delegation],
    settings,
    promptDefaults,
    prompt: ({ skills }) => {
      assertRelayFitsSkills(relay, settings, skills);
      return renderRoot(dependencies.model, relayPrompt(relay), { goal });
    },
  });
  return { ...opened, ...(areComplete(input) ? {} : { settings }), ...(isNamed ? { relay } : {}) };
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
