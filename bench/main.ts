import { type BenchArguments, help, parseArguments, UsageError } from './runner/arguments';
import type { Benchmark, Row } from './runner/benchmark';
import { benchmarks } from './runner/benchmarks';
import { writePeersPage } from './peers/page';
import { toJson, toTable } from './runner/output';
import { writePage } from './runner/page';
import { isWithinBound } from './runner/rows';
import { Workbench } from './runner/workbench';
import { interruptedCode, watchInterruption } from '../scripts/interruption';

const closingLimitMs = 20_000;

function log(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Runs the benchmarks one after the other. One that fails doesn't keep the others from running. */
async function runAll(args: BenchArguments, workbench: Workbench): Promise<{ rows: Row[]; failed: boolean }> {
  const rows: Row[] = [];
  let failed = false;
  for (const benchmark of args.benchmarks) {
    if (workbench.hasEnded) break;
    const [start, cpu] = [performance.now(), process.cpuUsage()];
    log(`# ${benchmark.names.filter((name) => args.wants(name)).join(', ')}`);
    try {
      rows.push(...(await runOne(benchmark, args, workbench)));
    } catch (error) {
      failed = true;
      log(error instanceof Error ? (error.stack ?? error.message) : String(error));
    }
    await workbench.tidy();
    const { user, system } = process.cpuUsage(cpu);
    const took = (performance.now() - start) / 1_000;
    log(`  ${took.toFixed(1)} s, and ${((user + system) / 1e6).toFixed(1)} s of the processor in this process`);
  }
  return { rows, failed };
}

function runOne(benchmark: Benchmark, args: BenchArguments, workbench: Workbench): Promise<readonly Row[]> {
  const { quick, counters } = args;
  return benchmark.run({
    quick,
    counters,
    log,
    wants: (...names) => names.some((name) => args.wants(name)),
    rounds: (usual) => (quick ? 1 : (args.rounds ?? usual)),
    environment: (script) => workbench.environmentFor(script),
    folder: () => workbench.folder(),
  });
}

async function print(rows: readonly Row[], { format }: BenchArguments): Promise<void> {
  if (format === 'markdown') {
    const isPeer = ({ name }: Row): boolean => name.startsWith('peer.');
    if (rows.some(isPeer)) await writePeersPage(rows.filter(isPeer));
    if (!rows.every(isPeer)) await writePage(rows.filter((row) => !isPeer(row)));
    return;
  }
  process.stdout.write(`${format === 'json' ? toJson(rows) : toTable(rows)}\n`);
}

/** Removes everything when interrupted: a server would otherwise run on. */
function closeWhenInterrupted(workbench: Workbench): void {
  void watchInterruption(log).came.then(() => {
    setTimeout(() => process.exit(interruptedCode), closingLimitMs).unref();
    void workbench.end().finally(() => process.exit(interruptedCode));
  });
}

async function main(given: readonly string[]): Promise<number> {
  const args = parseArguments(given, benchmarks);
  if (args === undefined) {
    process.stdout.write(help(benchmarks));
    return 0;
  }
  const workbench = new Workbench(args.quick);
  closeWhenInterrupted(workbench);
  const { rows, failed } = await runAll(args, workbench);
  // Figures of a part would look like those of the whole.
  if (workbench.hasEnded) return 1;
  await workbench.close();
  await print(rows, args);
  return failed || (!args.quick && !rows.every(isWithinBound)) ? 1 : 0;
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    log(error instanceof UsageError ? error.message : String(error instanceof Error ? error.stack : error));
    process.exitCode = error instanceof UsageError ? 2 : 1;
  },
);
