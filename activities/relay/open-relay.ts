import type { OpenedAgent } from '../../domain/agent';
import { formatFieldPath, InvalidInputError } from '../../domain/kernel';
import { parseRelayInput, type RelayInput } from '../../domain/relay';
import { checkRelaySkills, relayPrompt } from '../../domain/relay/prepare';
import type { SkillDefinition } from '../../domain/skill';
import { openRoot } from '../agent/open-run';
import type { SharedDependencies } from '../dependencies';

/** Checks a relay's input against this worker's skills, and opens its root. */
export async function openRelay(dependencies: SharedDependencies, unchecked: RelayInput): Promise<OpenedAgent> {
  const input = parseRelayInput(unchecked);
  const { runId, model, relay, goal } = input;
  return openRoot(dependencies, {
    runId,
    input,
    model,
    mayDelegate: true,
    prompt: ({ skills }) => {
      assertRelayFitsSkills(input, skills);
      return { definition: relayPrompt(relay), parameters: { goal } };
    },
  });
}

function assertRelayFitsSkills({ relay, limits }: RelayInput, skills: readonly SkillDefinition[]): void {
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
