import { Command } from 'commander';
import { statSync } from 'node:fs';
import { plural } from '../client/format';
import { DomainError } from '../domain/kernel';
import { type Diagnostic, formatDiagnostic } from '../domain/skill';
import { CliError, exitCodes, type Terminal } from './context';

/** The definitions in a project's files, by name, with the diagnostics of the files. */
export interface Definitions<Entry> {
  readonly entries: readonly Entry[];
  readonly findings: readonly Diagnostic[];
  /** Throws for an unknown name, with a message that lists the available ones. */
  get(name: string): Entry;
}

/** One kind of definition, and how it is loaded and printed. */
export interface DefinitionKind<Entry> {
  readonly singular: 'skill' | 'relay';
  readonly plural: 'skills' | 'relays';
  /** Name that the examples in the help use. */
  readonly example: string;
  readonly descriptions: Readonly<Record<'list' | 'check' | 'show', string>>;
  readonly checkNote: string;
  load(project: string): Promise<Definitions<Entry>>;
  /** Like `load`, but also accepts a folder that is not a project and contains such files directly. */
  loadAny(dir: string): Promise<Definitions<Entry>>;
  readonly print: Readonly<{
    listText(entries: readonly Entry[]): string;
    listJson(entries: readonly Entry[]): unknown;
    showText(entry: Entry): string;
    showJson(entry: Entry): unknown;
  }>;
}

interface Options {
  readonly json?: true;
  readonly dir: string;
}

/** Creates `list`, `check` and `show` for definitions in files. They need no server. */
export function definitionCommands<Entry>(kind: DefinitionKind<Entry>, terminal: Terminal): Command[] {
  return [list(kind, terminal), check(kind, terminal), show(kind, terminal)];
}

function list<Entry>(
  { singular: one, plural: several, descriptions, load, print }: DefinitionKind<Entry>,
  terminal: Terminal,
): Command {
  return new Command('list')
    .description(descriptions.list)
    .option('--json', 'print JSON')
    .option('--dir <folder>', 'project folder', '.')
    .addHelpText('after', `\nExamples:\n  $ baton ${several} list\n  $ baton ${several} list --json | jq -r .[].name\n`)
    .action(async ({ json, dir }: Options) => {
      const { entries, findings } = await load(existing(one, dir));
      if (json === true) terminal.printJson(print.listJson(entries));
      else terminal.print(print.listText(entries));
      for (const finding of findings) terminal.note(formatDiagnostic(finding));
    });
}

function check<Entry>(kind: DefinitionKind<Entry>, terminal: Terminal): Command {
  const { singular: one, plural: several, descriptions } = kind;
  return new Command('check')
    .description(descriptions.check)
    .argument('[dir]', `a project, or a folder of ${one} files`, '.')
    .option('--json', 'print JSON')
    .addHelpText('after', checkHelp(kind))
    .action(async (dir: string, { json }: Options) => {
      const { entries, findings } = await kind.loadAny(existing(one, dir));
      const errors = findings.filter(({ level }) => level === 'error').length;
      if (json === true) terminal.printJson({ [several]: entries.length, errors, findings });
      else for (const finding of findings) terminal.print(formatDiagnostic(finding));
      if (errors > 0) throw new CliError(exitCodes.failed, `${plural(errors, 'error')} in ${one} files.`);
      if (json !== true) terminal.print(`${plural(entries.length, one)}, no errors.`);
    });
}

function checkHelp({ plural: several, checkNote }: Pick<DefinitionKind<unknown>, 'plural' | 'checkNote'>): string {
  return `
${checkNote}

Examples:
  $ baton ${several} check
  $ baton ${several} check ../other-project
  $ baton ${several} check drafts/${several}
`;
}

function show<Entry>(kind: DefinitionKind<Entry>, terminal: Terminal): Command {
  const { singular: one, plural: several, example, print } = kind;
  return new Command('show')
    .description(kind.descriptions.show)
    .argument('<name>', `name of the ${one}`)
    .option('--json', 'print JSON')
    .option('--dir <folder>', 'project folder', '.')
    .addHelpText(
      'after',
      `\nExamples:\n  $ baton ${several} show ${example}\n  $ baton ${several} show ${example} --json | jq -r .hash\n`,
    )
    .action(async (name: string, { json, dir }: Options) => {
      const entry = find(kind, await kind.load(existing(one, dir)), name);
      if (json === true) terminal.printJson(print.showJson(entry));
      else terminal.print(print.showText(entry));
    });
}

/** Looks up a definition. Throws a `CliError` that lists the available names. */
export function find<Entry>(
  { plural: several }: Pick<DefinitionKind<Entry>, 'plural'>,
  definitions: Pick<Definitions<Entry>, 'get'>,
  name: string,
): Entry {
  try {
    return definitions.get(name);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const remedy = `Files with errors are not listed. Check them with: baton ${several} check`;
    throw new CliError(exitCodes.failed, error.message, remedy);
  }
}

function existing(one: string, dir: string): string {
  const found = statSync(dir, { throwIfNoEntry: false });
  if (found?.isDirectory() === true) return dir;
  throw new CliError(
    exitCodes.misused,
    found === undefined ? `The folder ${dir} does not exist.` : `${dir} is not a folder.`,
    `Pass a project or a folder of ${one} files.`,
  );
}
