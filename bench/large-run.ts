import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { defaultLimits } from '../domain/agent';
import { type BenchEnvironment, startEnvironment } from './support/environment';
import { newRunId, playRun } from './support/runs';
import { seconds } from './support/statistics';
import { batonWorker } from './support/workers';
import { batchesOfLargeRun, childrenPerCall } from './workloads';

const execute = promisify(execFile);
const program = join(__dirname, '..', '..', 'bin', 'baton.js');

/** Commands that read every agent of a run, with the options that print all of them. */
const commands = [['tail'], ['tree'], ['tree', '--json'], ['audit'], ['report', '--out', '/dev/null']] as const;
const mostSeconds = 10;
const mostOutputBytes = 512 * 1024 * 1024;

/** Measures how long the commands that read every agent take for one very large run. No worker runs meanwhile. */
export async function run(print: (line: string) => void): Promise<boolean> {
  const environment = await startEnvironment(require.resolve('./models/large-run'));
  try {
    const small = await play(environment, 1);
    const large = await play(environment, batchesOfLargeRun);
    let held = true;
    for (const command of commands) {
      const few = await timed(environment, command, small);
      const many = await timed(environment, command, large);
      held &&= many <= mostSeconds;
      print(
        `baton ${command.join(' ')}: ${few.toFixed(1)} s with ${childrenPerCall} children, ` +
          `${many.toFixed(1)} s with ${batchesOfLargeRun * childrenPerCall} (bound ${mostSeconds} s)`,
      );
    }
    return held;
  } finally {
    await environment.close();
  }
}

async function play(environment: BenchEnvironment, batches: number): Promise<string> {
  const runId = newRunId();
  const worker = await batonWorker(environment);
  await worker.runUntil(
    playRun(environment, {
      runId,
      goal: `Dispatch ${batches} batches (${runId}).`,
      model: { name: 'claude-sonnet-5-5', maxTokens: 100_000, window: 1_000_000 },
      limits: { ...defaultLimits, maxChildren: batches * childrenPerCall },
    }),
  );
  return runId;
}

async function timed(environment: BenchEnvironment, command: readonly string[], runId: string): Promise<number> {
  const [name = '', ...options] = command;
  const env = { ...process.env, ...environment.variables };
  return seconds(() =>
    execute(process.execPath, [program, name, runId, ...options], { env, maxBuffer: mostOutputBytes }),
  );
}
