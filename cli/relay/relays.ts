import { Command } from 'commander';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { headline } from '../../client/format';
import { loadRelays, projectRelays, shippedRelays } from '../../definitions/relay/load-relays';
import { loadSkills } from '../../definitions/skill/load-skills';
import type { LoadedRelay, RelayCatalog } from '../../domain/relay';
import { describeStep } from '../../domain/relay/prepare';
import type { Terminal } from '../context';
import { definitionCommands, type DefinitionKind, type Definitions } from '../definition-commands';
import { columns } from '../screen/table';

const kind: DefinitionKind<LoadedRelay> = {
  singular: 'relay',
  plural: 'relays',
  example: 'feature',
  descriptions: {
    list: 'list the available relays',
    check: 'check relay files, and their steps against the skills; the exit code is 1 if there are errors',
    show: 'print a relay: its steps, source, hash and complete definition',
  },
  checkNote: 'Each diagnostic is one line: file:line:column: error or notice: field: message.',
  load: async (project) => asDefinitions(await relaysOf(project)),
  loadAny: async (dir) => asDefinitions(await relaysIn(dir)),
  print: { listText: relayListText, listJson: relayListJson, showText: relayText, showJson: (loaded) => loaded },
};

/** `baton relays`: lists, checks and shows the relays of a project, without a server. */
export function relaysCommand(terminal: Terminal): Command {
  const relays = new Command('relays')
    .description('list, check and show relays: chains of skills that files define')
    .addHelpText('after', help);
  for (const command of definitionCommands(kind, terminal)) relays.addCommand(command);
  return relays;
}

const help = `
Relays are read from Baton's own skills/relays/ and from the project's .baton/relays/. If both define the same name, the
project's relay is used. The format is described in docs/relays.md. Start a relay with: baton relay.

Examples:
  $ baton relays list
  $ baton relays check
  $ baton relays show feature
`;

/** Loads the relays of a project: the shipped ones and its own, checked against its skills. */
export async function relaysOf(project: string): Promise<RelayCatalog> {
  return loadRelays([shippedRelays(), projectRelays(project)], await loadSkills(project));
}

/** Treats a folder that is not a project as a folder of relay files, checked against the current project's skills. */
async function relaysIn(dir: string): Promise<RelayCatalog> {
  if (dir === '.' || ['.baton', '.claude'].some((name) => existsSync(join(dir, name)))) return relaysOf(dir);
  const folder = { path: dir, shownAs: dir, from: 'project' } as const;
  return loadRelays([shippedRelays(), folder], await loadSkills('.'));
}

function asDefinitions({ relays, findings, get }: RelayCatalog): Definitions<LoadedRelay> {
  return { entries: relays, findings, get };
}

/** Formats a table of relays. */
export function relayListText(relays: readonly LoadedRelay[]): string {
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
export function relayListJson(relays: readonly LoadedRelay[]): unknown {
  return relays.map(({ relay: { name, description, steps }, hash, file, from }) => {
    return { name, description, steps: steps.map((step) => step.name), hash, file, from };
  });
}

/** Formats one relay with its steps and its definition. */
export function relayText({ relay, hash, file, from }: LoadedRelay): string {
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
