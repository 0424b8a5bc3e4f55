import { readSettings } from '../temporal-config/node/settings';
import { type CliContext, type ExitCode, exitCodes, type Terminal } from './context';
import { createProgram } from './program';

// The reader may close the pipe early, as `head` does. That is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(exitCodes.ok);
});

async function main(): Promise<ExitCode> {
  try {
    const args = process.argv.slice(2);
    const program = await createProgram(processContext(), args);
    await program.parseAsync(args, { from: 'user' });
    return exitCodes.ok;
  } catch (error) {
    const { explain } = await import('./explain.js');
    const { output, exitCode } = explain(error);
    if (output !== undefined) console.error(output);
    return exitCode;
  }
}

void main().then((exitCode) => {
  process.exitCode = exitCode;
  // The interrupted work is still running. It would delay the exit, or fail because its connection is closed.
  if (exitCode === exitCodes.interrupted) process.exit();
});

/**
 * Creates the context with the real terminal, environment, server and store. The code for the last two is loaded when a
 * command uses them, because it takes longer to load than many commands take to run.
 */
export function processContext(): CliContext {
  return {
    terminal: processTerminal(),
    settings: () => readSettings(),
    async connect() {
      const { resolveConnection } = await import('../temporal-config/node/connection.js');
      const { connectClient } = await import('../temporal-config/node/connect-client.js');
      const resolved = await resolveConnection({ stateDir: readSettings().stateDir });
      const { client, close } = await connectClient(resolved);
      return { client, namespace: resolved.namespace, uiUrl: resolved.uiUrl, close };
    },
    async openStore() {
      const { openFileStore } = await import('../store/file/open-file-store.js');
      return openFileStore(readSettings().storeDir);
    },
  };
}

function processTerminal(): Terminal {
  return {
    print: (line) => void process.stdout.write(`${line}\n`),
    write: (bytes) => void process.stdout.write(bytes),
    note: (line) => void process.stderr.write(`${line}\n`),
    isInteractive: process.stderr.isTTY,
    async readStdin() {
      const chunks: Buffer[] = [];
      for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
      return Buffer.concat(chunks);
    },
  };
}
