import { exitCodes } from './cli';
import { explain } from './explain';
import { processContext } from './process-context';
import { createProgram } from './program';

// Whoever reads the output may stop reading, as `head` does: that is no failure of the command.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(exitCodes.ok);
});

createProgram(processContext())
  .parseAsync()
  .then(
    () => exitCodes.ok,
    (error: unknown) => {
      const { said, exitCode } = explain(error);
      if (said !== undefined) console.error(said);
      return exitCode;
    },
  )
  .then((code) => {
    process.exitCode = code;
  });
