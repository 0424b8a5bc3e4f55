import { readSettings } from '../temporal-config/node/settings';
import { type CliContext, exitCodes } from './context';
import { runProgram } from './run-program';
import { processTerminal } from './screen/terminal';

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // The reader may close the pipe early, as `head` does. That is not an error.
  if (error.code === 'EPIPE') process.exit(exitCodes.ok);
  process.stderr.write(`The output can't be written: ${error.message}\n`);
  process.exit(exitCodes.failed);
});
// What can't be told can't be told. The result and the exit code still count.
process.stderr.on('error', () => undefined);

void runProgram(processContext(), process.argv.slice(2)).then((exitCode) => {
  process.exitCode = exitCode;
  // The interrupted work is still running. It would delay the exit, or fail because its connection is closed.
  if (exitCode === exitCodes.interrupted) process.exit();
});

/**
 * Creates the context with the real terminal, environment, server and store. The code for the last two is loaded when a
 * command uses them, because it takes longer to load than many commands take to run.
 */
function processContext(): CliContext {
  return {
    terminal: processTerminal(process.argv.slice(2)),
    showStacks: process.env['BATON_LOG_LEVEL'] === 'DEBUG',
    settings: () => readSettings(),
    async connect() {
      const { resolveConnection } = await import('../temporal-config/node/connection.js');
      const { connectClient } = await import('../temporal-config/node/connect-client.js');
      const resolved = await resolveConnection({ stateDir: readSettings().stateDir });
      const { client, close } = await connectClient(resolved);
      const { namespace, uiUrl, connectionOptions } = resolved;
      return { client, namespace, address: connectionOptions.address, uiUrl, close };
    },
    async openStore() {
      const { openStore } = await import('../store/open-store.js');
      const { blockingFiles } = await import('../store/file/disk.js');
      return openStore(readSettings(), { files: { files: blockingFiles, onlyReads: true } });
    },
  };
}
