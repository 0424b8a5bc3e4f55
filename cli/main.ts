import { exitCodes, type ExitCode } from './context';
import { explain } from './explain';
import { processContext } from './process-context';
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
