import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import type { LoadedRelay, RelayCatalogue } from '../../domain/relay';
import { loadRelays, projectRelays, shippedRelays } from '../../store/relay-files/load-relays';
import { loadSkills } from '../../store/skill-files/load-skills';
import type { Terminal } from '../cli';
import { definitionCommands, type DefinitionKind, type Definitions } from '../definition-commands';
import { listJson, listText, showJson, showText } from '../relays/print';

const kind: DefinitionKind<LoadedRelay> = {
  one: 'relay',
  several: 'relays',
  example: 'feature',
  descriptions: {
    list: 'list the relays that can be started',
    check: 'check relay files, and whether their steps fit the skills; exit code 1 when one is wrong',
    show: 'print a relay: its steps, where it is from, its hash and its whole definition',
  },
  checkNote: 'Every finding is a line: file:line:column: error or notice: field: what is wrong.',
  load: async (project) => asDefinitions(await relaysOf(project)),
  loadAny: async (dir) => asDefinitions(await relaysIn(dir)),
  print: { listText, listJson, showText, showJson },
};

/** Relays of this project, without a server. */
export function relaysCommand(terminal: Terminal): Command {
  const relays = new Command('relays')
    .description('chains of skills defined by files: list, check and show them')
    .addHelpText('after', help);
  for (const command of definitionCommands(kind, terminal)) relays.addCommand(command);
  return relays;
}

const help = `
Relays are read from Baton's own skills/relays/ and from the project's .baton/relays/; of two with the same name, the
project's is used. What the files say: docs/relays.md. To start one: baton relay.

Examples:
  $ baton relays list
  $ baton relays check
  $ baton relays show feature
`;

/** The relays that a project has: the shipped ones and its own, checked against its skills. */
export async function relaysOf(project: string): Promise<RelayCatalogue> {
  return loadRelays([shippedRelays(), projectRelays(project)], await loadSkills(project));
}

/** A folder that is no project is taken for one of relay files, with the skills of the project around. */
async function relaysIn(dir: string): Promise<RelayCatalogue> {
  if (dir === '.' || ['.baton', '.claude'].some((name) => existsSync(join(dir, name)))) return relaysOf(dir);
  const folder = { path: dir, shownAs: dir, from: 'project' } as const;
  return loadRelays([shippedRelays(), folder], await loadSkills('.'));
}

function asDefinitions({ relays, findings, get }: RelayCatalogue): Definitions<LoadedRelay> {
  return { entries: relays, findings, get };
}
