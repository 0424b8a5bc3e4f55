import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { DomainError } from '../domain/errors';
import { showFinding, type SkillFinding } from '../domain/skill';
import { CliError, exitCodes, type Terminal } from './cli';

/** What files define, by name, with what was found about the files. */
export interface Definitions<Entry> {
  readonly entries: readonly Entry[];
  readonly findings: readonly SkillFinding[];
  /** Throws for a name that there is not, and says which there are. */
  get(name: string): Entry;
}

/** Definitions of one kind, and how they are shown. */
export interface DefinitionKind<Entry> {
  readonly one: 'skill' | 'relay';
  readonly several: 'skills' | 'relays';
  /** Of the shown example, a name. */
  readonly example: string;
  readonly descriptions: Readonly<Record<'list' | 'check' | 'show', string>>;
  readonly checkNote: string;
  load(project: string): Promise<Definitions<Entry>>;
  /** The same for a folder that may be none of a project, but of such files. */
  loadAny(dir: string): Promise<Definitions<Entry>>;
  readonly print: Readonly<{
    listText(entries: readonly Entry[]): string;
    listJson(entries: readonly Entry[]): string;
    showText(entry: Entry): string;
    showJson(entry: Entry): string;
  }>;
}

interface Options {
  readonly json?: true;
  readonly dir: string;
}

/** `list`, `check` and `show` for definitions in files, without a server. */
export function definitionCommands<Entry>(kind: DefinitionKind<Entry>, terminal: Terminal): Command[] {
  return [list(kind, terminal), check(kind, terminal), show(kind, terminal)].map((command) => command.exitOverride());
}

function list<Entry>({ one, several, descriptions, load, print }: DefinitionKind<Entry>, terminal: Terminal): Command {
  return new Command('list')
    .description(descriptions.list)
    .option('--json', 'print JSON')
    .option('--dir <folder>', 'the project', '.')
    .addHelpText('after', `\nExamples:\n  $ baton ${several} list\n  $ baton ${several} list --json | jq -r .[].name\n`)
    .action(async ({ json, dir }: Options) => {
      const { entries, findings } = await load(existing(one, dir));
      terminal.print(json === true ? print.listJson(entries) : print.listText(entries));
      for (const finding of findings) terminal.warn(showFinding(finding));
    });
}

function check<Entry>(kind: DefinitionKind<Entry>, terminal: Terminal): Command {
  const { one, several, descriptions } = kind;
  return new Command('check')
    .description(descriptions.check)
    .argument('[dir]', `a project, or a folder of ${one} files`, '.')
    .option('--json', 'print JSON')
    .addHelpText('after', checkHelp(kind))
    .action(async (dir: string, { json }: Options) => {
      const { entries, findings } = await kind.loadAny(existing(one, dir));
      const errors = findings.filter(({ level }) => level === 'error').length;
      if (json === true) terminal.print(JSON.stringify({ [several]: entries.length, errors, findings }));
      else for (const finding of findings) terminal.print(showFinding(finding));
      if (errors > 0)
        throw new CliError(exitCodes.failed, `${errors} ${errors === 1 ? 'problem' : 'problems'} in ${one} files.`);
      if (json !== true) terminal.print(`${entries.length} ${entries.length === 1 ? one : several}, no problems.`);
    });
}

function checkHelp({ several, checkNote }: Pick<DefinitionKind<unknown>, 'several' | 'checkNote'>): string {
  return `
${checkNote}

Examples:
  $ baton ${several} check
  $ baton ${several} check ../other-project
  $ baton ${several} check drafts/${several}
`;
}

function show<Entry>(kind: DefinitionKind<Entry>, terminal: Terminal): Command {
  const { one, several, example, print } = kind;
  return new Command('show')
    .description(kind.descriptions.show)
    .argument('<name>', `name of the ${one}`)
    .option('--json', 'print JSON')
    .option('--dir <folder>', 'the project', '.')
    .addHelpText(
      'after',
      `\nExamples:\n  $ baton ${several} show ${example}\n  $ baton ${several} show ${example} --json | jq -r .hash\n`,
    )
    .action(async (name: string, { json, dir }: Options) => {
      const entry = find(kind, await kind.load(existing(one, dir)), name);
      terminal.print(json === true ? print.showJson(entry) : print.showText(entry));
    });
}

export function find<Entry>(
  { several }: Pick<DefinitionKind<Entry>, 'several'>,
  definitions: Pick<Definitions<Entry>, 'get'>,
  name: string,
): Entry {
  try {
    return definitions.get(name);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const remedy = `A file with an error is not listed; see: baton ${several} check`;
    throw new CliError(exitCodes.failed, error.message, remedy);
  }
}

function existing(one: string, dir: string): string {
  if (existsSync(dir)) return dir;
  throw new CliError(exitCodes.misused, `There is no folder ${dir}.`, `Name a project or a folder of ${one} files.`);
}
