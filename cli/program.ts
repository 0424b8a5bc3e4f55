import { Command } from 'commander';
import { commandLoaders } from './command-loaders';
import type { CliContext } from './context-merging';
import { packageVersion } from './package-version';

const exitCodeHelp = `
Exit codes: 0 success; 1 the run or the command failed; 2 wrong usage; 3 something that Baton needs is missing or
configured wrongly (settings, server, worker, store); 130 interrupted.

Start here:
  $ baton dev --scripted                                   # server, Web UI and worker, with a scripted model
  $ baton run "Summarize this project" -w . --follow       # in another terminal
`;

/**
 * Creates the command line for these arguments: with the command that the first one names, or else with all commands.
 * It is separate from running the program, because the reference page is generated from it.
 */
export async function createProgram(context: CliContext, args: readonly string[] = []): Promise<Command> {
  const baton = new Command('baton')
    .description(
      'Durable AI agents on Temporal: they survive crashes and leave a complete record of what each one was sent.',
    )
    .version(packageVersion())
    .addHelpText('after', exitCodeHelp)
    .showSuggestionAfterError()
    .configureHelp({ sortSubcommands: false });
  const named = Object.entries(commandLoaders).filter(([name]) => name === args[0]);
  for (const [, load] of named.length > 0 ? named : Object.entries(commandLoaders))
    baton.addCommand((await load())(context));
  // Subcommands do not inherit this setting. It makes commander throw instead of exiting the process.
  for (const command of [baton, ...baton.commands]) command.exitOverride();
  return baton;
}
