const { join } = require('node:path');
const { root, table } = require('./source.js');

const exitCodes = [
  [0, 'done'],
  [1, 'failed: the run, or what was asked for'],
  [2, 'wrong usage: an argument or an option; nothing was started'],
  [3, 'something needed is not there or set up wrongly: settings, server, worker, store'],
  [130, 'interrupted by Ctrl-C or SIGTERM'],
];

/** The help of a command as a terminal shows it. */
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
  // Nothing is run, so nothing of what commands are given is ever looked at.
  const program = await createProgram({ terminal: {} });
  const block = (command) => ['```text', helpOf(command), '```'].join('\n');
  return [
    '# Command line',
    'In a checkout: `npm run -s baton -- …` or `npx baton …`. Results stand on standard output; progress, hints and errors on standard error.',
    '## Exit codes',
    table(['code', 'meaning'], exitCodes),
    '## baton',
    block(program),
    ...program.commands.flatMap((command) => [`## baton ${command.name()}`, block(command)]),
  ].join('\n\n');
};
