import { defaultLimits } from '../domain/agent';
import type { Benchmark } from './runner/benchmark';
import { playRounds } from './runner/pairs';
import { compared } from './runner/rows';
import type { BenchEnvironment } from './support/environment';
import { newRunId, playRaw, playRun } from './support/runs';
import { seconds } from './support/statistics';
import { batonWorker, rawWorker } from './support/workers';
import { batchGoal } from './workloads';

const name = 'children.1000';

/**
 * The history of a parent that starts a thousand children in one call. Each answers at once, because what children do
 * is not in the history of their parent.
 */
export const children: Benchmark = {
  names: [name],
  about: 'History of a parent with 1,000 children in one call, against a parent written by hand.',
  async run(context) {
    const environment = await context.environment('batch');
    environment.run(await batonWorker(environment));
    environment.run(await rawWorker(environment));
    const count = context.quick ? 3 : 1_000;
    const goal = batchGoal({ children: count, turns: 0, writes: false });
    const contenders = {
      Baton: () => playBaton(environment, goal),
      'by hand': () =>
        playRaw(environment, 'rawBatch', goal).then((workflowId) => ({ workflowId, execution: undefined })),
    };
    const sized = (contender: keyof typeof contenders) => async (): Promise<number> => {
      let played: Played = { workflowId: '', execution: undefined };
      const took = await seconds(async () => (played = await contenders[contender]()));
      context.log(`${contender}: ${count} children in ${took.toFixed(1)} s`);
      return historyBytes(environment, played, count);
    };
    const { Baton: values, 'by hand': baselines } = await playRounds(
      // The number of bytes does not depend on what is warm.
      { ...context, quick: true },
      context.rounds(1),
      { Baton: sized('Baton'), 'by hand': sized('by hand') },
      (bytes) => `${bytes} bytes`,
    );
    return [compared({ name, unit: 'bytes', wants: 'less' }, values, baselines)];
  },
};

interface Played {
  readonly workflowId: string;
  readonly execution: string | undefined;
}

async function playBaton(environment: BenchEnvironment, goal: string): Promise<Played> {
  const { workflowId, firstExecutionRunId } = await playRun(environment, {
    runId: newRunId(),
    goal,
    model: { name: 'claude-sonnet-5-5', maxTokens: 100_000, window: 1_000_000 },
    limits: defaultLimits,
  });
  return { workflowId, execution: firstExecutionRunId };
}

/** Measures the execution that started the children, because the agent may have continued as new since. */
async function historyBytes({ client }: BenchEnvironment, played: Played, children: number): Promise<number> {
  const handle = client.workflow.getHandle(played.workflowId, played.execution);
  const [{ historySize = 0 }, { events }] = await Promise.all([handle.describe(), handle.fetchHistory()]);
  const started = events?.filter((event) => event.childWorkflowExecutionStartedEventAttributes).length ?? 0;
  if (started < children) throw new Error(`${played.workflowId} started ${started} children instead of ${children}`);
  return historySize;
}
