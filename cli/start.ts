import { CommanderError } from 'commander';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { exitCodes } from './context';
import { asksForHelp, type CommandHelp, helpFile, helpOnlyCommand } from './help';

// The first file that the program loads. It prints help by itself, without the code of any command.
const path = join(__dirname, helpFile);
const args = process.argv.slice(2);
const isDone =
  asksForHelp(args) && existsSync(path) && printHelp(JSON.parse(readFileSync(path, 'utf8')) as CommandHelp);
if (!isDone) void import('./main.js');

/** Returns false if the arguments turn out to ask for something else, for example because `-h` is the value of an option. */
function printHelp(help: CommandHelp): boolean {
  // The reader may close the pipe early, as `head` does. That is not an error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') process.stderr.write(`The help can't be printed: ${error.message}\n`);
    process.exit(error.code === 'EPIPE' ? exitCodes.ok : exitCodes.failed);
  });
  try {
    helpOnlyCommand(help).parse(args, { from: 'user' });
    return false;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    process.exitCode = error.exitCode === 0 ? exitCodes.ok : exitCodes.misused;
    return true;
  }
}
