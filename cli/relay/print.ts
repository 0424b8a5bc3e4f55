import { stringify } from 'yaml';
import { describeStep, type LoadedRelay } from '../../domain/relay';
import { columns, headline } from '../../client/format';

/** Formats a table of relays. */
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

/** Formats a list of relays for `--json`. */
export function listJson(relays: readonly LoadedRelay[]): string {
  return JSON.stringify(
    relays.map(({ relay: { name, description, steps }, hash, file, from }) => {
      return { name, description, steps: steps.map((step) => step.name), hash, file, from };
    }),
  );
}

/** Formats one relay with its steps and its definition. */
export function showText({ relay, hash, file, from }: LoadedRelay): string {
  return [
    `${relay.name} (${from})`,
    `File: ${file}`,
    `Hash: ${hash}`,
    '',
    ...relay.steps.map((step, index) => `${index + 1}. ${describeStep(step)}`),
    '',
    'Complete definition:',
    '',
    stringify(relay, { lineWidth: 0 })
      .trimEnd()
      .replace(/^(?=.)/gm, '  '),
  ].join('\n');
}

/** Formats one relay for `--json`. */
export function showJson(loaded: LoadedRelay): string {
  return JSON.stringify(loaded);
}
