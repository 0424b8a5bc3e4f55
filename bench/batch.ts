import { defaultLimits } from '../domain/agent';
import { runWorkflowId } from '../domain/kernel';
import { notesSlice, recordsOf } from '../domain/session';
import { sessionQuery } from '../workflows/messages';
import { turnsPerChild } from './workloads';
import { newRunId, playRun } from './support/runs';
import { type BenchEnvironment, startEnvironment } from './support/environment';
import { median, seconds } from './support/statistics';
import { batonWorker } from './support/workers';

const children = 100;
const pairs = 5;
const mostTimes = 1.5;
const many = 1_000;
const mostHistoryBytes = 4_000_000;

/**
 * Measures the cost of writing to a shared session by running the same batch with and without a write in every turn,
 * and then runs a very large batch.
 */
export async function run(print: (line: string) => void): Promise<boolean> {
  const environment = await startEnvironment(require.resolve('./models/batch'));
  try {
    environment.run(await batonWorker(environment));
    await batch(environment, 10, true);
    const ratios: number[] = [];
    let lost = 0;
    for (let pair = 0; pair < pairs; pair += 1) {
      let runId = '';
      const withWrites = await seconds(async () => ({ runId } = await batch(environment, children, true)));
      const without = await seconds(() => batch(environment, children, false));
      lost += children * turnsPerChild - (await distinctNotes(environment, runId));
      ratios.push(withWrites / without);
      print(
        `with writes ${withWrites.toFixed(2)} s, without ${without.toFixed(2)} s, ratio ${ratios.at(-1)!.toFixed(2)}`,
      );
    }
    const times = median(ratios);
    print(
      `${children} children, ${turnsPerChild} writes each: ${times.toFixed(2)} times; lost or doubled writes: ${lost}`,
    );
    return (await manyChildren(environment, print)) && times <= mostTimes && lost === 0;
  } finally {
    await environment.close();
  }
}

/** Measures the history of the execution that started the batch, because the agent may have continued as new since. */
async function manyChildren(environment: BenchEnvironment, print: (line: string) => void): Promise<boolean> {
  let made: Batch = { runId: '', execution: '' };
  const took = await seconds(async () => (made = await batch(environment, many, false)));
  const handle = environment.client.workflow.getHandle(runWorkflowId(made.runId), made.execution);
  const { historySize = 0 } = await handle.describe();
  const { events } = await handle.fetchHistory();
  const started = events?.filter((event) => event.childWorkflowExecutionStartedEventAttributes).length ?? 0;
  print(
    `${many} children in one call: ${took.toFixed(1)} s (${(many / took).toFixed(1)}/s), history of the execution that ` +
      `started them (${started} with their host): ${historySize} bytes`,
  );
  return started > many && historySize < mostHistoryBytes;
}

/**
 * Counts the distinct notes. Every write has a unique text, so no write was lost or applied twice if this equals the
 * number of records.
 */
async function distinctNotes({ client }: BenchEnvironment, runId: string): Promise<number> {
  const notes = recordsOf(await client.workflow.getHandle(runWorkflowId(runId)).query(sessionQuery), notesSlice);
  const distinct = new Set(notes.map(({ text }) => text)).size;
  return distinct === notes.length ? distinct : 0;
}

interface Batch {
  readonly runId: string;
  /** The first execution, which starts the batch in its first turn. */
  readonly execution: string;
}

async function batch(environment: BenchEnvironment, size: number, writes: boolean): Promise<Batch> {
  const runId = newRunId();
  const { firstExecutionRunId } = await playRun(environment, {
    runId,
    goal: `Batch of ${size}${writes ? ' with writes' : ''} (${runId}).`,
    model: { name: 'claude-sonnet-5-5', maxTokens: 100_000, window: 1_000_000 },
    limits: defaultLimits,
  });
  return { runId, execution: firstExecutionRunId };
}
