import type { Command } from 'commander';
import { type CliContext, exitCodes } from '../../cli/context';
import { createProgram } from '../../cli/program';
import { requireSame, table } from './source';

const meanings: readonly (readonly [code: number, meaning: string])[] = [
  [0, 'done'],
  [1, 'failed: the run, or the requested operation'],
  [2, 'invalid usage: an argument or an option is wrong; nothing was started'],
  [3, 'something required is missing or misconfigured: settings, server, worker, store'],
  [130, 'interrupted by Ctrl-C or SIGTERM'],
];

/** Returns the help text of a command as a terminal shows it. */
function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part), getOutHelpWidth: () => 100 });
  command.outputHelp();
  return text.trim();
}

export async function cliPage(): Promise<string> {
  requireSame(
    'exit codes',
    meanings.map(([code]) => code),
    Object.values<number>(exitCodes),
  );
  // No command runs, so an empty terminal is enough.
  const program = await createProgram({ terminal: {} } as CliContext);
  const block = (command: Command): string => ['```text', helpOf(command), '```'].join('\n');
  return [
    '# Command line',
    'In a checkout: `npm run -s baton -- …` or `npx baton …`. Results go to standard output; progress, hints and errors to standard error.',
    '## Exit codes',
    table(['code', 'meaning'], meanings),
    '## baton',
    block(program),
    ...program.commands.flatMap((command) => [`## baton ${command.name()}`, block(command)]),
  ].join('\n\n');
}
