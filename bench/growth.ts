import { randomUUID } from 'node:crypto';
import type { BenchContext, Benchmark, Row } from './runner/benchmark';
import { compared, measured, type RowOptions } from './runner/rows';
import type { BenchEnvironment } from './support/environment';
import { playLongRun } from './support/long-run';
import { noiseWorkers } from './support/noise-workers';
import { playRaw } from './support/runs';
import { bytesAt, engineTimeAt, modelTimeAt, type Observed, type TurnProbe } from './support/turn-probe';
import { noiseGoal } from './workloads';

const [history, time] = ['history.bytes_per_turn', 'wall_per_turn'];
const turns = [10, 100, 1_000];
/** What a late turn adds to history, over what an early one does: 1 if the growth is even. */
const flatness = `${history}.1000_over_10`;
/** Turns played after the last measured one, because the turns around it are measured as well. */
const after = 26;
const bytes = 5_000;
/** The server would terminate a workflow with messages by value after about 140 turns of this size. */
const mostTurnsByValue = 126;

/** Sizes of a result for which the time of a late turn is compared with that of an early one. */
const results = [
  { name: `${time}.500_over_10.small`, bytes: 100 },
  { name: `${time}.500_over_10.20kb`, bytes: 20_000 },
];

/** What a turn adds to history, and how long it takes, as the conversation grows. */
export const growth: Benchmark = {
  names: [
    ...turns.map((turn) => `${history}.${turn}`),
    flatness,
    ...turns.map((turn) => `${time}.${turn}`),
    ...results.map(({ name }) => name),
  ],
  about: 'Bytes of history and time per turn of a long conversation, against messages passed by value.',
  async run(context) {
    const environment = await context.environment('noise');
    const probe = await noiseWorkers(environment);
    await playLongRun(environment, probe, { turns: context.quick ? 2 : 30, bytes });
    const rows: Row[] = [];
    const wanted = turns.filter((turn) => context.wants(`${history}.${turn}`, `${time}.${turn}`, flatness));
    if (wanted.length > 0) rows.push(...(await measureTurns(context, environment, probe, Math.max(...wanted))));
    for (const result of results)
      if (context.wants(result.name)) rows.push(await lateOverEarly(context, environment, probe, result));
    return rows;
  },
};

/** Measures the same turns with Baton and with messages by value, as far as these get. */
async function measureTurns(
  { quick, rounds, wants, log }: BenchContext,
  environment: BenchEnvironment,
  probe: TurnProbe,
  last: number,
): Promise<Row[]> {
  const shown = quick ? [2, 3, 4] : turns;
  const at = (turn: number): number => shown[turns.indexOf(turn)] ?? turn;
  const [baton, byValue]: [Observed[], Observed[]] = [[], []];
  for (let round = 0; round < rounds(1); round += 1) {
    byValue.push(await playByValue(environment, probe, quick ? 6 : Math.min(mostTurnsByValue, last + after), shown));
    const work = { turns: quick ? 6 : last + after, bytes };
    baton.push((await playLongRun(environment, probe, work, shown)).observed);
    for (const turn of turns.filter((one) => one <= last)) log(describe(baton, byValue, at(turn)));
  }
  const rowFor = (options: RowOptions, figure: (observed: Observed) => number, reached: boolean): Row =>
    reached ? compared(options, baton.map(figure), byValue.map(figure)) : measured(options, baton.map(figure));
  const bytesAround = (turn: number): number[] => baton.map((observed) => bytesAt(observed, at(turn)));
  return [
    compared({ name: flatness, unit: 'bytes/turn', wants: 'less' }, bytesAround(1_000), bytesAround(10)),
    ...turns.map((turn) => {
      const options = { name: `${history}.${turn}`, unit: 'bytes/turn', wants: 'less' } as const;
      return rowFor(options, (observed) => bytesAt(observed, at(turn)), quick || turn < mostTurnsByValue);
    }),
    ...turns.map((turn) => {
      const options = { name: `${time}.${turn}`, unit: 'ms/turn', wants: 'less' } as const;
      return rowFor(options, (observed) => engineTimeAt(observed, at(turn)), quick || turn < mostTurnsByValue);
    }),
  ].filter(({ name }) => wants(name));
}

function describe(baton: readonly Observed[], byValue: readonly Observed[], turn: number): string {
  const cell = (observed: Observed): string => {
    const [own, model] = [engineTimeAt(observed, turn), modelTimeAt(observed, turn)];
    return `${bytesAt(observed, turn)} bytes, ${own.toFixed(1)} ms and ${model.toFixed(1)} of the model`;
  };
  return `turn ${turn}: Baton ${cell(baton.at(-1)!)}; by value ${cell(byValue.at(-1)!)}`;
}

async function playByValue(
  environment: BenchEnvironment,
  probe: TurnProbe,
  count: number,
  shown: readonly number[],
): Promise<Observed> {
  const workflowId = `by-value-${randomUUID().slice(0, 8)}`;
  const observed = probe.watch({ client: environment.client, workflowId, turns: shown });
  await playRaw(environment, 'rawLoop', noiseGoal({ turns: count, bytes }), workflowId);
  return observed;
}

async function lateOverEarly(
  { quick, rounds, log }: BenchContext,
  environment: BenchEnvironment,
  probe: TurnProbe,
  result: { readonly name: string; readonly bytes: number },
): Promise<Row> {
  const [early, late] = quick ? [2, 3] : [10, 500];
  const [values, baselines]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds(1); round += 1) {
    const work = { turns: quick ? 5 : late + after, bytes: result.bytes };
    const { observed } = await playLongRun(environment, probe, work);
    values.push(engineTimeAt(observed, late));
    baselines.push(engineTimeAt(observed, early));
    log(
      `${result.bytes} bytes: turn ${early} ${baselines.at(-1)!.toFixed(1)} ms, turn ${late} ${values.at(-1)!.toFixed(1)} ms, ` +
        `of the model ${modelTimeAt(observed, early).toFixed(1)} and ${modelTimeAt(observed, late).toFixed(1)} ms`,
    );
  }
  return compared({ name: result.name, unit: 'ms/turn', wants: 'less' }, values, baselines);
}
