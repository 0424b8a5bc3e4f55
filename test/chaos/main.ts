import { BadArgument, help, parseOptions } from './options';

async function main(args: readonly string[]): Promise<number> {
  const options = parseOptions(args);
  if (options === 'help') {
    process.stdout.write(help);
    return 0;
  }
  // Loads the SDK and the compiler of workflows, which takes seconds.
  const { playRounds } = await import('./play-rounds.js');
  return playRounds(options);
}

main(process.argv.slice(2)).then(
  // A round that was interrupted may still wait for something.
  (code) => process.exit(code),
  (error: unknown) => {
    const isMisuse = error instanceof BadArgument;
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.stderr.write(isMisuse ? `${error.message}\nMore: npm run chaos -- --help\n` : `${text}\n`);
    process.exitCode = isMisuse ? 2 : 1;
  },
);
