import { defaultLimits } from '../domain/agent';
import { runWorkflowId } from '../domain/kernel';
import { notesSlice, recordsOf } from '../domain/session';
import { sessionQuery } from '../workflows/messages';
import type { Benchmark } from './runner/benchmark';
import { playRounds } from './runner/pairs';
import { compared } from './runner/rows';
import type { BenchEnvironment } from './support/environment';
import { newRunId, playRun } from './support/runs';
import { type Taken, taken } from './support/statistics';
import { batonWorker } from './support/workers';
import { type Batch, batchGoal } from './workloads';

const name = 'fanout.shared.100';

/** The cost of writing to a shared session: the same batch with and without a write in every turn. */
export const sharedBatch: Benchmark = {
  names: [name],
  about: 'Time of a batch on one session whose children write in each of 5 turns, against the same without writes.',
  async run(context) {
    const environment = await context.environment('batch');
    environment.run(await batonWorker(environment));
    const work = context.quick ? { children: 3, turns: 2 } : { children: 100, turns: 5 };
    const player = (writes: boolean) => async (): Promise<Taken> => {
      const runId = newRunId();
      const took = await taken(environment, () => play(environment, runId, { ...work, writes }));
      if (writes) await checkNotes(environment, runId, work.children * work.turns);
      return took;
    };
    const { 'with writes': written, without } = await playRounds(
      context,
      context.rounds(4),
      { 'with writes': player(true), without: player(false) },
      ({ seconds, cpuSeconds }) => `${seconds.toFixed(2)} s (${cpuSeconds.toFixed(1)} CPU s)`,
    );
    const [clock, cpu] = [({ seconds }: Taken) => seconds, ({ cpuSeconds }: Taken) => cpuSeconds];
    return [
      compared({ name, unit: 's', wants: 'less' }, written.map(clock), without.map(clock)),
      compared({ name: `${name}.cpu`, unit: 'CPU s', wants: 'less' }, written.map(cpu), without.map(cpu)),
    ];
  },
};

/** Every write has a unique text, so this fails if one was lost or applied twice. */
async function checkNotes({ client }: BenchEnvironment, runId: string, expected: number): Promise<void> {
  const notes = recordsOf(await client.workflow.getHandle(runWorkflowId(runId)).query(sessionQuery), notesSlice);
  const distinct = new Set(notes.map(({ text }) => text)).size;
  if (notes.length !== expected || distinct !== expected)
    throw new Error(`${expected} writes, but ${notes.length} notes of which ${distinct} are different`);
}

function play(environment: BenchEnvironment, runId: string, batch: Batch): Promise<unknown> {
  return playRun(environment, {
    runId,
    goal: batchGoal(batch),
    model: { name: 'claude-sonnet-5-5', maxTokens: 100_000, window: 1_000_000 },
    limits: defaultLimits,
  });
}
