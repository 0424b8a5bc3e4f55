import { Command, CommanderError } from 'commander';
import { DomainError } from '../domain/errors';
import { SetupError } from '../temporal-config/server/errors';
import { CliError, exitCodes, type ExitCode } from './cli';
import { cancelCommand } from './commands/cancel';
import { demoCommand } from './commands/demo';
import { devCommand } from './commands/dev';
import { doctorCommand } from './commands/doctor';
import { gcCommand } from './commands/gc';
import { listCommand } from './commands/list';
import { runCommand } from './commands/run';
import { showCommand } from './commands/show';
import { workerCommand } from './commands/worker';
import { processContext } from './process-context';

const exitCodeHelp = `
Exit codes: 0 done; 1 failed (the run, or what was asked for); 2 wrong usage; 3 something needed is not available
(server, worker, store); 130 interrupted.

Start here:
  $ baton dev --scripted                                   # server, Web UI and worker, with a scripted model
  $ baton run "Summarise this project" -w . --follow       # in another terminal
`;

function program(): Command {
  const context = processContext();
  const baton = new Command('baton')
    .description('Durable AI agents on Temporal: they survive crashes, and leave a record of what each was told.')
    .version((require('../../package.json') as { version: string }).version)
    .addHelpText('after', exitCodeHelp)
    .showSuggestionAfterError()
    .configureHelp({ sortSubcommands: false });
  const commands = [
    devCommand,
    workerCommand,
    runCommand,
    listCommand,
    showCommand,
    cancelCommand,
    gcCommand,
    doctorCommand,
    demoCommand,
  ];
  for (const command of commands) baton.addCommand(command(context));
  // Subcommands made on their own do not inherit this: a thrown error instead of an exit in the depths.
  for (const command of [baton, ...baton.commands]) command.exitOverride();
  return baton;
}

/** Expected ends are told in words; only a defect shows a stack. */
function explain(error: unknown): ExitCode {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.misused;
  if (error instanceof CliError) {
    console.error(error.remedy === undefined ? error.message : `${error.message}\n${error.remedy}`);
    return error.exitCode;
  }
  if (error instanceof SetupError) {
    console.error(`${error.message}\n${error.remedy}`);
    return exitCodes.unavailable;
  }
  if (error instanceof DomainError) {
    console.error(error.message);
    return error.type === 'Input.Invalid' ? exitCodes.misused : exitCodes.failed;
  }
  console.error(error);
  return exitCodes.failed;
}

program()
  .parseAsync()
  .then(
    () => exitCodes.ok,
    (error: unknown) => explain(error),
  )
  .then((code) => {
    process.exitCode = code;
  });
