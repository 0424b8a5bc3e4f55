import { type AgentSettings, areComplete, completeSettings, type OpenedRoot } from '../../domain/agent';
import { formatFieldPath, InvalidInputError } from '../../domain/kernel';
import { type OpenRelayInput, parseOpenRelay } from '../../domain/relay';
import { checkRelaySkills, relayPrompt } from '../../domain/relay/prepare';
import type { SkillDefinition } from '../../domain/skill';
import { openRoot } from '../agent/open-run';
import { renderRoot } from '../agent/registered-root';
import type { SharedDependencies } from '../dependencies';

/** Checks a relay's input against this worker's skills, and opens its root. */
export async function openRelay(dependencies: SharedDependencies, unchecked: OpenRelayInput): Promise<OpenedRoot> {
  const input = parseOpenRelay(unchecked);
  const { runId, relay, goal } = input;
  const settings = completeSettings(input, dependencies.modelDefaults);
  const opened = await openRoot(dependencies, {
    runId,
    model: settings.model,
    mayDelegate: true,
    prompt: ({ skills }) => {
      assertRelayFitsSkills(input, settings, skills);
      return renderRoot(relayPrompt(relay), { goal });
    },
  });
  return areComplete(input) ? opened : { ...opened, settings };
}

function assertRelayFitsSkills(
  { relay }: OpenRelayInput,
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
