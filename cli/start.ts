import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defaultCacheDir } from '../temporal-config/dev-server/paths';
import { bundleFile, isBundled, runBundle } from './bundled-commands';
import type { CommandHelp } from './help';

// The first file that the program loads. It loads as little as the arguments need: help without the code of any command,
// commands that need only a client from their bundle, and others file by file.
const args = process.argv.slice(2);
const [command = ''] = args;
const bundle = join(__dirname, '..', bundleFile);
if (isBundled(command) && !asksForHelp(args) && existsSync(bundle))
  runBundle(bundle, command, defaultCacheDir(process.env));
else void start();

async function start(): Promise<void> {
  const path = join(__dirname, 'help.json');
  if (asksForHelp(args) && existsSync(path)) {
    const { printHelp } = await import('./help.js');
    if (printHelp(JSON.parse(readFileSync(path, 'utf8')) as CommandHelp, args)) return;
  }
  await import('./main.js');
}

/** Whether these arguments ask for help or for the version, and for nothing else. */
function asksForHelp(args: readonly string[]): boolean {
  const [first] = args;
  if (first === undefined || first === 'help' || first === '--version' || first === '-V') return true;
  const beforeOperands = args.slice(0, args.includes('--') ? args.indexOf('--') : args.length);
  return beforeOperands.some((argument) => argument === '--help' || argument === '-h');
}
