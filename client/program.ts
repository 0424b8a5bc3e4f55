import { Command } from 'commander';
import { amendCommand } from './commands/amend';
import { applyCommand } from './commands/apply';
import { artifactsCommand } from './commands/artifacts';
import { auditCommand } from './commands/audit';
import { cancelCommand } from './commands/cancel';
import { composeCommand } from './commands/compose';
import { abortCommand, approveCommand, denyCommand, skipCommand } from './commands/decisions';
import { demoCommand } from './commands/demo';
import { devCommand } from './commands/dev';
import { diffCommand } from './commands/diff';
import { doctorCommand } from './commands/doctor';
import { extractCommand } from './commands/extract';
import { gcCommand } from './commands/gc';
import { listCommand } from './commands/list';
import { promptCommand } from './commands/prompt';
import { relayCommand } from './commands/relay';
import { relaysCommand } from './commands/relays';
import { reportCommand } from './commands/report';
import { retryCommand } from './commands/retry';
import { runCommand } from './commands/run';
import { showCommand } from './commands/show';
import { skillsCommand } from './commands/skills';
import { pauseCommand, resumeCommand, steerCommand } from './commands/steering';
import { tailCommand } from './commands/tail';
import { treeCommand } from './commands/tree';
import { whyCommand } from './commands/why';
import { workerCommand } from './commands/worker';
import { wrapCommand } from './commands/wrap';
import type { CliContext } from './context';
import { queriedFiles } from './workspace/queried-files';
import { packageVersion } from './package-version';

const exitCodeHelp = `
Exit codes: 0 done; 1 failed (the run, or what was asked for); 2 wrong usage; 3 something needed is not there or set
up wrongly (settings, server, worker, store); 130 interrupted.

Start here:
  $ baton dev --scripted                                   # server, Web UI and worker, with a scripted model
  $ baton run "Summarise this project" -w . --follow       # in another terminal
`;

/** In the order of the help: starting, looking, deciding, cleaning up. */
const commands = [
  devCommand,
  workerCommand,
  runCommand,
  relayCommand,
  listCommand,
  showCommand,
  treeCommand,
  whyCommand,
  tailCommand,
  reportCommand,
  cancelCommand,
  pauseCommand,
  resumeCommand,
  steerCommand,
  retryCommand,
  amendCommand,
  skipCommand,
  abortCommand,
  approveCommand,
  denyCommand,
  gcCommand,
  doctorCommand,
  demoCommand,
  promptCommand,
  auditCommand,
];

/** The whole command line; made apart from running it, so that its reference can be written from it. */
export function createProgram(context: CliContext): Command {
  const baton = new Command('baton')
    .description('Durable AI agents on Temporal: they survive crashes, and leave a record of what each was told.')
    .version(packageVersion())
    .addHelpText('after', exitCodeHelp)
    .showSuggestionAfterError()
    .configureHelp({ sortSubcommands: false });
  for (const command of commands) baton.addCommand(command(context));
  for (const command of [diffCommand, applyCommand, artifactsCommand]) baton.addCommand(command(context, queriedFiles));
  // These need no server and no store.
  for (const command of [composeCommand, wrapCommand, extractCommand, skillsCommand, relaysCommand])
    baton.addCommand(command(context.terminal));
  // Subcommands made on their own do not inherit this: a thrown error instead of an exit in the depths.
  for (const command of [baton, ...baton.commands]) command.exitOverride();
  return baton;
}
