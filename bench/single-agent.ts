import { defaultLimits, maxBurstTurns } from '../domain/agent';
import type { BenchContext, Benchmark, Row } from './runner/benchmark';
import { playRounds } from './runner/pairs';
import { compared, measured } from './runner/rows';
import { countTurn, type TurnCounts } from './support/counters';
import type { BenchEnvironment } from './support/environment';
import { newRunId, playRaw, playRun } from './support/runs';
import { taken } from './support/statistics';
import { noiseWorkers } from './support/noise-workers';
import { engineTime, type Observed, type TurnProbe } from './support/turn-probe';
import { type Noise, noiseGoal } from './workloads';

const name = 'turns.single';
/** More turns would flatter Baton: the requests of a hand-written loop grow with the conversation. */
const usual: Noise = { turns: 30, bytes: 1_000 };
/** The first turns find caches empty. */
const skipped = 2;

interface Figures {
  /** Milliseconds per turn without the model's share. */
  readonly time: number;
  /** Processor time per turn of worker and server, in milliseconds. */
  readonly cpu: number;
}

/** One agent with a tool loop, against hand-written loops with two activities and with one activity a turn. */
export const singleAgent: Benchmark = {
  names: [name],
  about: 'Time per turn of one agent, without that of the model, against a loop written by hand.',
  async run(context) {
    const environment = await context.environment('noise');
    const work = context.quick ? { turns: 4, bytes: 1_000 } : usual;
    const probe = await noiseWorkers(environment);
    const player = (play: () => Promise<unknown>) => (): Promise<Figures> => measure(environment, probe, work, play);
    const byBaton = (turns = work.turns): Promise<string> => playNoise(environment, { ...work, turns });
    const byHand = (turns = work.turns): Promise<string> =>
      playRaw(environment, 'rawLoop', noiseGoal({ ...work, turns }));
    const figures = await playRounds(
      context,
      context.rounds(9),
      {
        Baton: player(() => byBaton()),
        'by hand': player(() => byHand()),
        'in bursts': player(() => playNoise(environment, work, { turnsPerActivity: maxBurstTurns })),
        'one activity': player(() => playRaw(environment, 'rawLoopOfTurns', noiseGoal(work))),
        'by hand again': player(() => byHand()),
      },
      ({ time, cpu }) => `${time.toFixed(1)} ms (${cpu.toFixed(0)} CPU)`,
    );
    const counters = context.counters ? await countBoth(context, environment, byBaton, byHand) : [];
    return [...rowsOf(figures), ...counters];
  },
};

type Measured = Readonly<
  Record<'Baton' | 'in bursts' | 'by hand' | 'one activity' | 'by hand again', readonly Figures[]>
>;

function rowsOf(measured: Measured): Row[] {
  const { Baton: baton, ...others } = measured;
  const times = (figures: readonly Figures[]): number[] => figures.map(({ time }) => time);
  const options = { unit: 'ms/turn', wants: 'less' } as const;
  const byHand = times(others['by hand']);
  return [
    compared({ ...options, name }, times(baton), byHand),
    compared({ ...options, name: `${name}.bursts` }, times(others['in bursts']), byHand),
    compared({ ...options, name: `${name}.one_activity` }, times(baton), times(others['one activity'])),
    compared({ ...options, name: `${name}.noise` }, times(others['by hand again']), byHand),
    compared(
      { ...options, name: `${name}.cpu`, unit: 'CPU ms/turn' },
      baton.map(({ cpu }) => cpu),
      others['by hand'].map(({ cpu }) => cpu),
    ),
  ];
}

/** Runs an agent of Baton that makes noise. Returns its workflow id. */
async function playNoise(
  environment: BenchEnvironment,
  work: Noise,
  tuning: { readonly turnsPerActivity?: number } = {},
): Promise<string> {
  const { workflowId } = await playRun(environment, {
    runId: newRunId(),
    goal: noiseGoal(work),
    model: { name: 'claude-sonnet-5-5', maxTokens: 30_000, window: 200_000 },
    limits: defaultLimits,
    tuning,
  });
  return workflowId;
}

async function measure(
  environment: BenchEnvironment,
  probe: TurnProbe,
  { turns }: Noise,
  play: () => Promise<unknown>,
): Promise<Figures> {
  const observed: Observed = probe.watch();
  const { cpuSeconds } = await taken(environment, play);
  if (observed.requests !== turns + 1)
    throw new Error(`${observed.requests} requests to the model instead of ${turns + 1}`);
  return { time: engineTime(observed, skipped - 1, turns - 1), cpu: (1_000 * cpuSeconds) / turns };
}

type Player = (turns: number) => Promise<string>;

/** Counts what one more turn takes, with Baton and by hand. */
async function countBoth(
  context: BenchContext,
  environment: BenchEnvironment,
  byBaton: Player,
  byHand: Player,
): Promise<Row[]> {
  const turns: readonly [number, number] = context.quick ? [2, 4] : [10, 30];
  const baton = await countTurn(environment, 'baton', turns, byBaton);
  const hand = await countTurn(environment, 'raw', turns, byHand);
  return (Object.keys(baton) as (keyof TurnCounts)[]).map((counter) => {
    const options = { name: `${name}.${counter}`, unit: 'per turn', wants: 'less' } as const;
    // A workflow written by hand has no store.
    if (hand[counter] === 0) return measured(options, [baton[counter]]);
    return compared(options, [baton[counter]], [hand[counter]]);
  });
}
