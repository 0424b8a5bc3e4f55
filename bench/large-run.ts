import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { defaultLimits } from '../domain/agent';
import type { Benchmark, Row } from './runner/benchmark';
import { compared } from './runner/rows';
import type { BenchEnvironment } from './support/environment';
import { newRunId, playRun } from './support/runs';
import { seconds } from './support/statistics';
import { batonWorker } from './support/workers';
import { type LargeRun, largeRunGoal } from './workloads';

const name = 'large-run';
const execute = promisify(execFile);
const program = join(__dirname, '..', '..', 'bin', 'baton.js');

/** Commands that read every agent of a run, with the options that print all of them. */
const commands = [['tail'], ['tree'], ['tree', '--json'], ['audit'], ['report', '--out', '/dev/null']] as const;
const bound = { of: 'value', is: 10 } as const;
const mostOutputBytes = 512 * 1024 * 1024;

/** How long the commands that read every agent take for one very large run. No worker runs meanwhile. */
export const largeRun: Benchmark = {
  names: [name],
  about:
    'Time of tail, tree, audit and report for a run with 5,000 children, against one with 1,000. Takes 10 minutes.',
  onlyByName: true,
  async run(context) {
    const environment = await context.environment('large-run');
    const children = context.quick ? 2 : 1_000;
    const worker = await batonWorker(environment);
    const [few, many] = await worker.runUntil(async (): Promise<[string, string]> => [
      await play(environment, { batches: 1, children }),
      await play(environment, { batches: context.quick ? 2 : 5, children }),
    ]);
    const rows: Row[] = [];
    for (const command of context.quick ? commands.slice(1, 2) : commands) {
      const [values, baselines]: [number[], number[]] = [[], []];
      for (let round = 0; round < context.rounds(1); round += 1) {
        baselines.push(await timed(environment, command, few));
        values.push(await timed(environment, command, many));
      }
      const options = { name: `${name}.${rowName(command)}`, unit: 's', wants: 'less', bound } as const;
      const row = compared(options, values, baselines);
      context.log(`baton ${command.join(' ')}: ${row.value} s, with ${children} children ${row.baseline} s`);
      rows.push(row);
    }
    return rows;
  },
};

function rowName([command, option]: readonly string[]): string {
  return option === '--json' ? `${command}_json` : String(command);
}

async function play(environment: BenchEnvironment, size: LargeRun): Promise<string> {
  const runId = newRunId();
  await playRun(environment, {
    runId,
    goal: largeRunGoal(size),
    model: { name: 'claude-sonnet-5-5', maxTokens: 100_000, window: 1_000_000 },
    limits: { ...defaultLimits, maxChildren: size.batches * size.children },
  });
  return runId;
}

async function timed(environment: BenchEnvironment, command: readonly string[], runId: string): Promise<number> {
  const [first = '', ...options] = command;
  const env = { ...process.env, ...environment.variables };
  return seconds(() =>
    execute(process.execPath, [program, first, runId, ...options], { env, maxBuffer: mostOutputBytes }),
  );
}
