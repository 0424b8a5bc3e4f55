import { exitCodes, type ExitCode } from './cli';
import { explain } from './explain';
import { processContext } from './process-context';
import { createProgram } from './program';

// Whoever reads the output may stop reading, as `head` does: that is no failure of the command.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(exitCodes.ok);
});

async function main(): Promise<ExitCode> {
  try {
    const words = process.argv.slice(2);
    const program = await createProgram(processContext(), words);
    await program.parseAsync(words, { from: 'user' });
    return exitCodes.ok;
  } catch (error) {
    const { said, exitCode } = explain(error);
    if (said !== undefined) console.error(said);
    return exitCode;
  }
}

void main().then((exitCode) => {
  process.exitCode = exitCode;
  // What was interrupted is still under way, and would go on for a while or fail for want of a connection.
  if (exitCode === exitCodes.interrupted) process.exit();
});
