import { Command } from 'commander';
import { commandLoaders } from './command-loaders';
import type { CliContext } from './context';
import { packageVersion } from './package-version';

const exitCodeHelp = `
Exit codes: 0 done; 1 failed (the run, or what was asked for); 2 wrong usage; 3 something needed is not there or set
up wrongly (settings, server, worker, store); 130 interrupted.

Start here:
  $ baton dev --scripted                                   # server, Web UI and worker, with a scripted model
  $ baton run "Summarise this project" -w . --follow       # in another terminal
`;

/**
 * The command line for these words: with the one command that they name, or, when they name none, with all. Made apart
 * from running it, so that its reference can be written from it.
 */
export async function createProgram(context: CliContext, words: readonly string[] = []): Promise<Command> {
  const baton = new Command('baton')
    .description('Durable AI agents on Temporal: they survive crashes, and leave a record of what each was told.')
    .version(packageVersion())
    .addHelpText('after', exitCodeHelp)
    .showSuggestionAfterError()
    .configureHelp({ sortSubcommands: false });
  const named = Object.entries(commandLoaders).filter(([name]) => name === words[0]);
  for (const [, load] of named.length > 0 ? named : Object.entries(commandLoaders))
    baton.addCommand((await load())(context));
  // Subcommands made on their own do not inherit this: a thrown error instead of an exit in the depths.
  for (const command of [baton, ...baton.commands]) command.exitOverride();
  return baton;
}
