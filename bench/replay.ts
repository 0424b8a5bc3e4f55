import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import { Worker } from '@temporalio/worker';
import { join } from 'node:path';
import { defaultLimits } from '../domain/agent';
import { runWorkflowId } from '../domain/kernel';
import type { Benchmark } from './runner/benchmark';
import { playRounds } from './runner/pairs';
import { measured } from './runner/rows';
import type { BenchEnvironment } from './support/environment';
import { newRunId, playRun } from './support/runs';
import { TurnProbe } from './support/turn-probe';
import { batonWorker } from './support/workers';
import { replayGoal } from './workloads';

type History = temporal.api.history.v1.IHistory;

/** An execution of a workflow. */
interface Recorded {
  readonly workflowId: string;
  readonly history: History;
}

/** How long the replay of an agent took. */
interface Replay {
  /** All executions of the agent, one after the other, in milliseconds. A worker only ever replays the newest. */
  readonly milliseconds: number;
  /** The longest execution alone, in milliseconds. */
  readonly longest: number;
  readonly executions: number;
  readonly events: number;
  /** Time per event of the longest execution over that of its first quarter: 1 if the time is linear. */
  readonly growth: number;
}

const name = 'replay.1000';

/** How long a worker that has the code but not the agent takes to replay it. */
export const replay: Benchmark = {
  names: [name],
  about:
    'Replay of an agent with 1,000 turns by a worker that has it not in its cache; time per event, late over early.',
  async run(context) {
    const environment = await context.environment('replay');
    const executions = await recordAgent(environment, context.quick ? 5 : 1_000);
    await environment.stopWorkers();
    const { agent: all } = await playRounds(
      context,
      context.rounds(5),
      { agent: () => replayAgent(executions) },
      ({ milliseconds, events, executions: count, growth }) =>
        `${milliseconds.toFixed(0)} ms for ${events} events in ${count} executions, growth ${growth.toFixed(2)}`,
    );
    const longest = { name: `${name}.longest`, unit: 'ms', wants: 'less' } as const;
    const growth = { name: `${name}.growth`, unit: 'times', wants: 'less' } as const;
    return [
      measured(
        { name, unit: 'ms', wants: 'less' },
        all.map(({ milliseconds }) => milliseconds),
      ),
      measured(
        longest,
        all.map((one) => one.longest),
      ),
      measured(
        growth,
        all.map((one) => one.growth),
      ),
    ];
  },
};

/** Plays an agent that calls a tool in every turn. Returns its executions, oldest first. */
async function recordAgent(environment: BenchEnvironment, turns: number): Promise<Recorded[]> {
  environment.run(await batonWorker(environment, { tools: [new TurnProbe().tool] }));
  const runId = newRunId();
  const { firstExecutionRunId } = await playRun(environment, {
    runId,
    goal: replayGoal(turns),
    model: { name: 'claude-sonnet-5-5', maxTokens: 1_000, window: 100_000_000 },
    limits: { ...defaultLimits, maxTurns: turns + 1 },
  });
  return executionsOf(environment.client, runWorkflowId(runId), firstExecutionRunId);
}

async function executionsOf(client: Client, workflowId: string, firstRunId: string): Promise<Recorded[]> {
  const executions: Recorded[] = [];
  for (let runId: string | null | undefined = firstRunId; runId;) {
    const history: History = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    executions.push({ workflowId, history });
    runId = history.events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId;
  }
  return executions;
}

/** Replays an agent. What comes first is not counted: it starts the worker and compiles the code. */
async function replayAgent(executions: readonly Recorded[]): Promise<Replay> {
  const longest = executions.reduce((most, one) => (eventsOf(one) > eventsOf(most) ? one : most));
  const quarter = firstPart(longest, 0.25);
  const times = await replayTimes([quarter, quarter, ...executions]);
  const [, ofQuarter = 0, ...ofExecutions] = times;
  const ofLongest = ofExecutions[executions.indexOf(longest)] ?? 0;
  return {
    milliseconds: ofExecutions.reduce((sum, time) => sum + time, 0),
    longest: ofLongest,
    executions: executions.length,
    events: executions.reduce((sum, one) => sum + eventsOf(one), 0),
    growth: ofLongest / eventsOf(longest) / (ofQuarter / eventsOf(quarter)),
  };
}

/** Runs workflows in a thread, as a worker does. */
const replaying = { workflowBundle: { codePath: join(__dirname, '..', 'workflow-bundle.js') }, debugMode: false };

/** Replays histories one after the other with the same worker. Returns the duration of each in milliseconds. */
async function replayTimes(histories: readonly Recorded[]): Promise<number[]> {
  const starts: number[] = [];
  const timed = function* (): Generator<Recorded> {
    for (const history of histories) {
      starts.push(performance.now());
      yield history;
    }
  };
  const times: number[] = [];
  for await (const { workflowId, error } of Worker.runReplayHistories(replaying, timed())) {
    times.push(performance.now() - (starts.at(-1) ?? 0));
    if (error !== undefined) throw new Error(`${workflowId} does not replay`, { cause: error });
  }
  return times;
}

function eventsOf({ history }: Recorded): number {
  return history.events?.length ?? 0;
}

/** The beginning of a history, up to the start of a workflow task, as an agent has that is still open. */
function firstPart({ workflowId, history }: Recorded, part: number): Recorded {
  const { events } = history;
  const isTask = (index: number): boolean => events?.[index]?.workflowTaskStartedEventAttributes != null;
  let last = Math.floor((events?.length ?? 0) * part);
  while (last > 0 && !isTask(last)) last -= 1;
  return { workflowId, history: { events: events?.slice(0, last + 1) ?? [] } };
}
