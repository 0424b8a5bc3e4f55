import { join } from 'node:path';
import { defaultLimits } from '../domain/agent';
import type { Benchmark, Row } from './runner/benchmark';
import { compared, type RowOptions } from './runner/rows';
import type { BenchEnvironment } from './support/environment';
import { measuredProcess, type ProcessUsage } from './support/measured-process';
import { newRunId, playRun } from './support/runs';
import { batonWorker } from './support/workers';
import { type LargeRun, largeRunGoal } from './workloads';

const name = 'large-run';
const longest = { of: 'value', is: 10 } as const;
const mostMemory = { of: 'value', is: 300 } as const;
const program = join(__dirname, '..', '..', 'bin', 'baton.js');

/** Commands that read every agent of a run, with the options that print all of them. */
const commands = [['tail'], ['tree'], ['tree', '--json'], ['audit'], ['report', '--out', '/dev/null']] as const;

/** What the commands that read every agent need for one very large run: time and memory. No worker runs meanwhile. */
export const largeRun: Benchmark = {
  names: [name],
  about:
    'Time and memory of tail, tree, audit and report for a run with 5,000 children, against one with 1,000. Takes 10 minutes.',
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
      const [values, baselines]: [ProcessUsage[], ProcessUsage[]] = [[], []];
      for (let round = 0; round < context.rounds(1); round += 1) {
        baselines.push(await usage(environment, command, few));
        values.push(await usage(environment, command, many));
      }
      const row = (of: keyof ProcessUsage, options: Pick<RowOptions, 'name' | 'unit' | 'bound'>): Row =>
        compared({ ...options, wants: 'less' }, figuresOf(values, of), figuresOf(baselines, of));
      const time = row('seconds', { name: `${name}.${rowName(command)}`, unit: 's', bound: longest });
      const memory = row('megabytes', { name: `${time.name}.memory`, unit: 'MB', bound: mostMemory });
      rows.push(time, memory);
      context.log(
        `baton ${command.join(' ')}: ${time.value} s and ${memory.value} MB, ` +
          `with ${children} children ${time.baseline} s and ${memory.baseline} MB`,
      );
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

function usage(environment: BenchEnvironment, command: readonly string[], runId: string): Promise<ProcessUsage> {
  const [first = '', ...options] = command;
  return measuredProcess([program, first, runId, ...options], environment.variables);
}

function figuresOf(measured: readonly ProcessUsage[], of: keyof ProcessUsage): number[] {
  return measured.map(({ [of]: figure }) => figure);
}
