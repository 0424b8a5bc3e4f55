import { run as batch } from './batch';
import { run as compose } from './compose';
import { run as fanOut } from './fan-out';
import { run as flatHistory } from './flat-history';
import { run as handoff } from './handoff';
import { run as largeRun } from './large-run';
import { run as workspaceSize } from './workspace-size';

type Bench = (print: (line: string) => void) => Promise<boolean>;

const benches: Readonly<Record<string, Bench>> = {
  compose,
  batch,
  'fan-out': fanOut,
  'flat-history': flatHistory,
  handoff,
  'large-run': largeRun,
  'workspace-size': workspaceSize,
};

/**
 * Runs benchmarks (`npm run bench -- compose`). Prints ratios against a baseline measured in the same run, and fails
 * when a bound is exceeded.
 */
async function main(names: readonly string[]): Promise<boolean> {
  const print = (line: string): void => void process.stdout.write(`${line}\n`);
  let held = true;
  for (const name of names.length > 0 ? names : Object.keys(benches)) {
    const bench = Object.hasOwn(benches, name) ? benches[name] : undefined;
    if (bench === undefined) {
      print(`Unknown benchmark "${name}". Available: ${Object.keys(benches).join(', ')}`);
      return false;
    }
    print(`# ${name}`);
    held = (await bench(print)) && held;
  }
  return held;
}

void main(process.argv.slice(2)).then((held) => {
  process.exitCode = held ? 0 : 1;
});
