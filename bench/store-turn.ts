import { defaultLimits } from '../domain/agent';
import type { Store } from '../domain/store';
import { openStore } from '../store/open-store';
import type { Benchmark, Row } from './runner/benchmark';
import { playRounds } from './runner/pairs';
import { compared, measured } from './runner/rows';
import { CountingStore } from './support/counting-store';
import type { BenchEnvironment } from './support/environment';
import { newRunId, playRun } from './support/runs';
import { engineTime, TurnProbe } from './support/turn-probe';
import { batonWorker } from './support/workers';
import { type Noise, noiseGoal } from './workloads';

const name = 'store.turn';
const usual: Noise = { turns: 30, bytes: 1_000 };
/** The first turns find caches empty. */
const skipped = 2;

/** What a turn takes with one store. */
interface Figures {
  /** Milliseconds per turn without the model's share. */
  readonly time: number;
  readonly requests: number;
  readonly bytes: number;
}

/**
 * A turn with a store on the network, against one with files. The addresses of the stores come from the environment,
 * because they need servers.
 */
export const storeTurn: Benchmark = {
  names: [name],
  about:
    'Time per turn with the stores in BATON_BENCH_POSTGRES and BATON_BENCH_S3 (addresses as in BATON_STORE), against files.',
  onlyByName: true,
  async run(context) {
    const environment = await context.environment('noise');
    const work = context.quick ? { turns: 4, bytes: 1_000 } : usual;
    const stores = await storesOf(environment);
    const players = Object.fromEntries(
      [...stores].map(([kind, store]) => [kind, () => playOn(environment, kind, store, work)]),
    );
    const figures = await playRounds(context, context.rounds(5), players, ({ time }) => `${time.toFixed(1)} ms`);
    return [...stores.keys()].flatMap((kind) => rowsOf(kind, figures[kind] ?? [], figures['files'] ?? []));
  },
};

/** Opens the stores to compare. */
async function storesOf({ store }: BenchEnvironment): Promise<ReadonlyMap<string, Store>> {
  const stores = new Map([['files', store]]);
  for (const [kind, variable] of [
    ['postgres', 'BATON_BENCH_POSTGRES'],
    ['s3', 'BATON_BENCH_S3'],
  ] as const) {
    const address = process.env[variable];
    if (address !== undefined) stores.set(kind, await openStore({ store: { address } }));
  }
  return stores;
}

/** Runs an agent with a worker of its own on one store. */
async function playOn(environment: BenchEnvironment, kind: string, store: Store, work: Noise): Promise<Figures> {
  const counting = new CountingStore(store);
  const probe = new TurnProbe();
  const taskQueue = `baton-${kind}`;
  const watched = probe.watching(environment.model);
  environment.run(
    await batonWorker({ ...environment, store: counting.store }, { tools: [probe.tool], watched, taskQueue }),
  );
  const observed = probe.watch();
  const input = {
    runId: newRunId(),
    goal: noiseGoal(work),
    model: { name: 'claude-sonnet-5-5', maxTokens: 30_000, window: 200_000 },
    limits: defaultLimits,
  };
  await playRun(environment, input, taskQueue);
  await environment.stopWorkers();
  return {
    time: engineTime(observed, skipped - 1, work.turns - 1),
    requests: counting.requests / work.turns,
    bytes: counting.bytes / work.turns,
  };
}

function rowsOf(kind: string, own: readonly Figures[], files: readonly Figures[]): Row[] {
  const times = (figures: readonly Figures[]): number[] => figures.map(({ time }) => time);
  const options = { name: `${name}.${kind}`, unit: 'ms/turn', wants: 'less' } as const;
  const bound = { of: 'ratio', is: 1.5 } as const;
  const counted = (counter: 'requests' | 'bytes'): Row =>
    measured(
      { name: `${name}.${kind}.${counter}`, unit: `${counter}/turn`, wants: 'less' },
      own.map((figures) => figures[counter]),
    );
  const time =
    kind === 'files' ? measured(options, times(own)) : compared({ ...options, bound }, times(own), times(files));
  return [time, counted('requests'), counted('bytes')];
}
