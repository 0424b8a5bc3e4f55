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
    '## Output',
    'Text from models, goals, files and skills is printed with every control, format and bidirectional character as an escape such as `\\u{1B}`, so that a terminal never obeys it. In JSON such characters are escaped as `\\u001b`, so that the value is exact. Commands whose result is bytes (`prompt`, `compose`, `wrap`, `extract`, `diff`) write them exactly into a file or a pipe; only on a screen they are made visible in the same way.',
    'With `--json`, standard output is JSON also when a command fails: `{"error": {"type", "message", "remedy", "exitCode"}}`, with `null` for a type or a remedy that there is not. A command that fails after it has printed its result, such as `skills check`, says in the result what is wrong. The message is on standard error as well.',
    'Neither an option nor an argument accepts an empty value: a script that passes an unset variable gets an error, not 0.',
    '## baton',
    block(program),
    ...program.commands.flatMap((command) => [`## baton ${command.name()}`, block(command)]),
  ].join('\n\n');
}
