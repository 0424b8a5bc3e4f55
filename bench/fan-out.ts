import { builtInTools } from '../activities/tool/builtin';
import { defaultLimits } from '../domain/agent';
import { dispatchSubagentTool } from '../domain/delegation';
import type { BenchContext, Benchmark, Row } from './runner/benchmark';
import { playRounds } from './runner/pairs';
import { compared } from './runner/rows';
import type { BenchEnvironment } from './support/environment';
import { newRunId, playRaw, playRun } from './support/runs';
import { type Taken, taken } from './support/statistics';
import { TurnProbe } from './support/turn-probe';
import { batonWorker, rawWorker } from './support/workers';
import { type FanOut, fanOutGoal } from './workloads';

interface Size extends FanOut {
  readonly name: string;
  readonly rounds: number;
}

const sizes: readonly Size[] = [
  { name: 'fanout.isolated.100', waves: 2, children: 50, rounds: 9 },
  { name: 'fanout.isolated.500', waves: 10, children: 50, rounds: 2 },
];

/**
 * A parent that delegates to isolated children, each with a model call, a tool and a model call. The hand-written
 * workflows make the same requests to the same model, on the same server.
 */
export const fanOut: Benchmark = {
  names: sizes.map(({ name }) => name),
  about: 'Children per second of a parent that delegates, against workflows written by hand.',
  async run(context) {
    const wanted = sizes.filter(({ name }) => context.wants(name));
    const environment = await context.environment('fan-out');
    const probe = new TurnProbe();
    const model = probe.watching(environment.model);
    environment.run(await batonWorker(environment, { watched: model }));
    const tools = [...builtInTools.map((tool) => tool.description), dispatchSubagentTool()];
    environment.run(await rawWorker(environment, { model, tools }));
    const rows: Row[] = [];
    for (const size of wanted) rows.push(...(await measure(context, environment, probe, size)));
    return rows;
  },
};

async function measure(
  context: BenchContext,
  environment: BenchEnvironment,
  probe: TurnProbe,
  { name, rounds, ...usual }: Size,
): Promise<Row[]> {
  const work = context.quick ? { waves: 1, children: 2 } : usual;
  const children = work.waves * work.children;
  const goal = fanOutGoal(work);
  const player = (play: () => Promise<unknown>) => async (): Promise<Taken> => {
    const observed = probe.watch();
    const took = await taken(environment, play);
    const expected = work.waves + 1 + 2 * children;
    if (observed.requests !== expected)
      throw new Error(`${observed.requests} requests to the model instead of ${expected}`);
    return took;
  };
  const { Baton: baton, 'by hand': byHand } = await playRounds(
    context,
    context.rounds(rounds),
    {
      Baton: player(() => playBaton(environment, goal)),
      'by hand': player(() => playRaw(environment, 'rawFanOut', goal)),
    },
    ({ seconds, cpuSeconds }) => `${(children / seconds).toFixed(1)}/s (${cpuSeconds.toFixed(1)} CPU s)`,
  );
  const perSecond = (all: readonly Taken[]): number[] => all.map(({ seconds }) => children / seconds);
  const cpu = (all: readonly Taken[]): number[] => all.map(({ cpuSeconds }) => (1_000 * cpuSeconds) / children);
  return [
    compared({ name, unit: 'children/s', wants: 'more' }, perSecond(baton), perSecond(byHand)),
    compared({ name: `${name}.cpu`, unit: 'CPU ms/child', wants: 'less' }, cpu(baton), cpu(byHand)),
  ];
}

async function playBaton(environment: BenchEnvironment, goal: string): Promise<void> {
  await playRun(environment, {
    runId: newRunId(),
    goal,
    model: { name: 'claude-sonnet-5-5', maxTokens: 30_000, window: 200_000 },
    limits: { ...defaultLimits, maxChildren: 1_000 },
  });
}
