import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import { defaultLimits } from '../domain/agent';
import type { Benchmark } from './runner/benchmark';
import { playRounds } from './runner/pairs';
import { compared } from './runner/rows';
import { newRunId, playRun } from './support/runs';
import { batonWorker } from './support/workers';
import { noiseGoal } from './workloads';

const name = 'cli.start';
const program = join(__dirname, '..', '..', 'bin', 'baton.js');
const reporter = require.resolve('./support/report-cpu-time');

/** Processor time of short commands, against that of a program that does nothing. */
export const cliStart: Benchmark = {
  names: [name],
  about: 'Processor time of baton --version, list and show, against node -e 0.',
  async run(context) {
    const environment = await context.environment('noise');
    const runId = newRunId();
    const worker = await batonWorker(environment);
    await worker.runUntil(
      playRun(environment, {
        runId,
        goal: noiseGoal({ turns: 0, bytes: 0 }),
        model: { name: 'claude-sonnet-5-5', maxTokens: 30_000, window: 200_000 },
        limits: defaultLimits,
      }),
    );
    const player =
      (...args: readonly string[]) =>
      (): Promise<number> =>
        cpuTime(args, environment.variables);
    const figures = await playRounds(
      context,
      context.rounds(9),
      {
        nothing: player('-e', '0'),
        version: player(program, '--version'),
        list: player(program, 'list'),
        show: player(program, 'show', runId),
      },
      (milliseconds) => `${milliseconds.toFixed(0)} ms`,
    );
    const options = { unit: 'CPU ms', wants: 'less' } as const;
    return [
      compared({ ...options, name }, figures.version, figures.nothing),
      compared({ ...options, name: `${name}.list` }, figures.list, figures.nothing),
      compared({ ...options, name: `${name}.show` }, figures.show, figures.nothing),
    ];
  },
};

/** Runs Node.js on these arguments and returns its processor time in milliseconds, which it reports when it exits. */
async function cpuTime(args: readonly string[], variables: Readonly<Record<string, string>>): Promise<number> {
  const env = { ...process.env, ...variables };
  const child = spawn(process.execPath, ['-r', reporter, ...args], {
    env,
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  });
  const [reported] = await Promise.all([text(child.stdio[3] as Readable), once(child, 'exit')]);
  if (child.exitCode !== 0) throw new Error(`${args.join(' ')} exited with code ${child.exitCode}`);
  return Number(reported);
}
