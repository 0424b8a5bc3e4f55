// Tries every parser with generated inputs: `npm run fuzz`, see docs/testing.md.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { columns } from '../cli/screen/table';
import { interruptedCode, watchInterruption } from './interruption';

const help = `Tries everything that models, providers, files, MCP servers and people can send with generated inputs, and prints what
became of them.

  --cases <n>   inputs for each target (default: 10000)
  --seed <n>    repeats the inputs of an earlier run (default: random; it is printed)
  <words>       only test files whose path contains one of these words, such as dispatch

The exit code is 0 only if no input did harm.`;

interface Line {
  readonly name: string;
  readonly accepted: number;
  readonly refused: number;
  readonly slowestMs: number;
  readonly seed: number;
}

async function main(args: string[]): Promise<number> {
  const text = { type: 'string' } as const;
  const options = { cases: text, seed: text, help: { type: 'boolean', short: 'h' } } as const;
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  if (values.help === true) {
    process.stdout.write(`${help}\n`);
    return 0;
  }
  const cases = wholeNumber('cases', values.cases ?? '10000');
  const seed = wholeNumber('seed', values.seed ?? String(Math.floor(Math.random() * 1e9)));
  const folder = mkdtempSync(join(tmpdir(), 'baton-fuzz-report-'));
  const report = join(folder, 'report.jsonl');
  try {
    const patterns = positionals.length === 0 ? ['test/fuzz/', 'response-fuzz'] : positionals;
    // Tests that are interrupted leave their temporary files.
    const env = { BATON_FUZZ_CASES: cases, BATON_FUZZ_SEED: seed, BATON_FUZZ_REPORT: report, TMPDIR: folder };
    const code = await runJest(patterns, env);
    process.stdout.write(`\n${columns(tableOf(linesOf(report)))}\n`);
    return code;
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Runs the targets in a process group of their own, which is ended as a whole when this process is interrupted. */
async function runJest(patterns: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const interruption = watchInterruption((line) => process.stdout.write(`${line}\n`));
  const jest = [
    'node_modules/jest/bin/jest.js',
    '--cacheDirectory',
    join(tmpdir(), 'baton-fuzz-cache'),
    '--selectProjects',
    'domain',
    'activities',
  ];
  const child = spawn(process.execPath, [...jest, '--testPathPatterns', ...patterns], {
    cwd: resolve(__dirname, '..'),
    stdio: 'inherit',
    env: { ...process.env, ...env },
    detached: true,
  });
  void interruption.came.then(() => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM');
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  interruption.release();
  return interruption.signal.aborted ? interruptedCode : (code ?? 1);
}

function linesOf(report: string): Line[] {
  try {
    const lines = readFileSync(report, 'utf8').trimEnd().split('\n');
    return lines.map((line) => JSON.parse(line) as Line).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    // No target has ended.
    return [];
  }
}

function tableOf(lines: readonly Line[]): string[][] {
  const rows = lines.map(({ name, accepted, refused, slowestMs, seed }) =>
    [name, accepted + refused, accepted, refused, `${slowestMs} ms`, seed].map(String),
  );
  return [['target', 'cases', 'accepted', 'refused', 'slowest', 'seed'], ...rows];
}

function wholeNumber(name: string, value: string): string {
  if (/^[1-9]\d{0,8}$|^0$/.test(value)) return value;
  throw new Error(`--${name} must be a whole number, not "${value}".`);
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${help}\n`);
    process.exitCode = 2;
  },
);
