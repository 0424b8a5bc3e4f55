import { escapeTemplate, parseDefinition, type PromptDefinition } from '../../prompt';
import type { RelayDefinition, RelayStep } from '..';

/** Namespace of relays in the prompt registry. */
const relayNamespace = 'relays';

/**
 * Returns the prompt of a relay. It is never sent to a model: it records what was started and is the ancestor of every
 * prompt below.
 */
export function relayPrompt({ name, description, steps }: RelayDefinition): PromptDefinition {
  const section = { tools: [], acceptsOverrides: false, children: [] };
  const list = steps.map((step, index) => `${index + 1}. ${describeStep(step)}`).join('\n');
  return parseDefinition({
    ns: relayNamespace,
    key: name,
    description: description.trim(),
    enabled: true,
    parameters: [{ name: 'goal', description: 'the goal of the relay', required: true }],
    sections: [
      { ...section, key: 'goal', title: 'Goal', template: '${goal}' },
      { ...section, key: 'steps', title: 'Steps', template: escapeTemplate(list) },
    ],
    output: null,
    composition: { transcript: 'none' },
  });
}

/** Describes a step in one line: its skill, fan-out, expected artifacts and loop. */
export function describeStep({ name, skill, each, parallel, artifacts = [], loop }: RelayStep): string {
  const back = (times: number): string => (times === 1 ? 'once' : `${times} times`);
  return [
    `${name}: ${skill}`,
    ...(each === undefined ? [] : [`for each of ${each.from}${parallel === true ? ', in parallel' : ''}`]),
    ...(artifacts.length === 0 ? [] : [`writes ${artifacts.join(', ')}`]),
    ...(loop === undefined
      ? []
      : [
          `back to ${loop.to} when ${loop.when.from} is ${JSON.stringify(loop.when.equals)}, at most ${back(loop.max)}`,
        ]),
  ].join('; ');
}
