const { join } = require('node:path');
const { root, table } = require('./source.js');

const exitCodes = [
  [0, 'done'],
  [1, 'failed: the run, or the requested operation'],
  [2, 'invalid usage: an argument or an option is wrong; nothing was started'],
  [3, 'something required is missing or misconfigured: settings, server, worker, store'],
  [130, 'interrupted by Ctrl-C or SIGTERM'],
];

/** Returns the help text of a command as a terminal shows it. */
function helpOf(command) {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part), getOutHelpWidth: () => 100 });
  command.outputHelp();
  return text.trim();
}

module.exports = async function cli() {
  const { createProgram } = require(join(root, 'dist', 'client', 'program.js'));
  const { exitCodes: known } = require(join(root, 'dist', 'client', 'cli.js'));
  const { requireSame } = require('./source.js');
  requireSame(
    'exit codes',
    exitCodes.map(([code]) => code),
    Object.values(known),
  );
  // No command runs, so an empty terminal is enough.
  const program = await createProgram({ terminal: {} });
  const block = (command) => ['```text', helpOf(command), '```'].join('\n');
  return [
    '# Command line',
    'In a checkout: `npm run -s baton -- …` or `npx baton …`. Results go to standard output; progress, hints and errors to standard error.',
    '## Exit codes',
    table(['code', 'meaning'], exitCodes),
    '## baton',
    block(program),
    ...program.commands.flatMap((command) => [`## baton ${command.name()}`, block(command)]),
  ].join('\n\n');
};
