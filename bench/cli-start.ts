import { join } from 'node:path';
import { defaultLimits } from '../domain/agent';
import type { Benchmark } from './runner/benchmark';
import { playRounds } from './runner/pairs';
import { compared } from './runner/rows';
import { measuredProcess } from './support/measured-process';
import { newRunId, playRun } from './support/runs';
import { batonWorker } from './support/workers';
import { noiseGoal } from './workloads';

const name = 'cli.start';
const program = join(__dirname, '..', '..', 'bin', 'baton.js');

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
      async (): Promise<number> =>
        (await measuredProcess(args, environment.variables)).cpuMilliseconds;
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
