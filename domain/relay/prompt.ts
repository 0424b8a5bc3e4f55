import { parseDefinition, type PromptDefinition } from '../prompt';
import { literalTemplate } from '../skill';
import type { RelayDefinition, RelayStep } from './definition';

/** Where relays are in the registry of prompts. */
export const relaysNs = 'relays';

/** No model is ever told this: it is the record of what was started, and what the delegations below it lead back to. */
export function relayPrompt({ name, description, steps }: RelayDefinition): PromptDefinition {
  const section = { tools: [], acceptsOverrides: false, children: [] };
  const list = steps.map((step, index) => `${index + 1}. ${stepInWords(step)}`).join('\n');
  return parseDefinition({
    ns: relaysNs,
    key: name,
    description: description.trim(),
    enabled: true,
    parameters: [{ name: 'goal', description: 'what the relay works towards', required: true }],
    sections: [
      { ...section, key: 'goal', title: 'Goal', template: '${goal}' },
      { ...section, key: 'steps', title: 'Steps', template: literalTemplate(list) },
    ],
    output: null,
    composition: { transcript: 'none' },
  });
}

/** One step in a line: who does it, how often, what it must leave, when it sends the relay back. */
export function stepInWords({ name, skill, each, parallel, artifacts = [], loop }: RelayStep): string {
  const back = (times: number): string => (times === 1 ? 'once' : `${times} times`);
  return [
    `${name}: ${skill}`,
    ...(each === undefined ? [] : [`for each of ${each.from}${parallel === true ? ', side by side' : ''}`]),
    ...(artifacts.length === 0 ? [] : [`leaves ${artifacts.join(', ')}`]),
    ...(loop === undefined
      ? []
      : [
          `back to ${loop.to} when ${loop.when.from} is ${JSON.stringify(loop.when.equals)}, at most ${back(loop.max)}`,
        ]),
  ].join('; ');
}
