import { stringify } from 'yaml';
import type { LoadedRelay, RelayStep } from '../../domain/relay';
import { columns, headline } from '../format';

export function listText(relays: readonly LoadedRelay[]): string {
  return columns([
    ['NAME', 'FROM', 'STEPS', 'HASH', 'DESCRIPTION'],
    ...relays.map(({ relay, hash, file }) => [
      relay.name,
      file,
      relay.steps.map(({ name }) => name).join(' > '),
      hash.slice(0, 12),
      headline(relay.description),
    ]),
  ]);
}

export function listJson(relays: readonly LoadedRelay[]): string {
  return JSON.stringify(
    relays.map(({ relay: { name, description, steps }, hash, file, from }) => {
      return { name, description, steps: steps.map((step) => step.name), hash, file, from };
    }),
  );
}

export function showText({ relay, hash, file, from }: LoadedRelay): string {
  return [
    `${relay.name} (${from})`,
    `File: ${file}`,
    `Hash: ${hash}`,
    '',
    ...relay.steps.map((step, index) => `${index + 1}. ${inWords(step)}`),
    '',
    'Definition, complete:',
    '',
    stringify(relay, { lineWidth: 0 })
      .trimEnd()
      .replace(/^(?=.)/gm, '  '),
  ].join('\n');
}

/** One step in a line: who does it, how often, what it must leave, when it sends the relay back. */
export function inWords({ name, skill, each, parallel, artifacts = [], loop }: RelayStep): string {
  return [
    `${name}: ${skill}`,
    ...(each === undefined ? [] : [`for each of ${each.from}${parallel === true ? ', side by side' : ''}`]),
    ...(artifacts.length === 0 ? [] : [`leaves ${artifacts.join(', ')}`]),
    ...(loop === undefined
      ? []
      : [
          `back to ${loop.to} when ${loop.when.from} is ${JSON.stringify(loop.when.equals)}, at most ${loop.max === 1 ? 'once' : `${loop.max} times`}`,
        ]),
  ].join('; ');
}

export function showJson(loaded: LoadedRelay): string {
  return JSON.stringify(loaded);
}
