import { setTimeout as sleep } from 'node:timers/promises';
import { scriptedEnvironment } from '../../cli/service/scripted-environment';
import { startRun } from '../../client/agent/start';
import { newRunId } from '../../client/baton';
import { defaultLimits } from '../../domain/agent';
import { runWorkflowId } from '../../domain/kernel';
import { dispatch } from '../../test/support/delegation-script';
import {
  delegationDepth,
  say as answer,
  type Script,
  startScriptedModel,
  useTools,
} from '../../testing/scripted-model';
import type { Cluster } from './cluster';
import { difference, readUsage, type Usage } from './counters';
import { Workers } from './workers';

/** Some runs at the same time: each takes turns with a small tool, and delegates to children, which take two turns. */
interface Load {
  readonly runs: number;
  readonly turns: number;
  readonly children: number;
}

const taskQueue = 'capacity';
const turnsOfChild = 2;
/** Warms up caches and connections, and is not counted. */
const warmUp: Load = { runs: 2, turns: 3, children: 2 };
const onlyTurns: Load = { runs: 8, turns: 26, children: 0 };
const mostlyChildren: Load = { runs: 8, turns: 2, children: 20 };
/** Another mixture, which the costs of the two above have to predict. */
const mixture: Load = { runs: 24, turns: 10, children: 10 };

/** Measures what a turn and a delegation cost on a cluster, and checks the prediction with another load. */
export async function measureCapacity(cluster: Cluster, say: (line: string) => void): Promise<string[]> {
  const model = await startScriptedModel(script);
  const env = { ...scriptedEnvironment(model), BATON_TASK_QUEUE: taskQueue, BATON_STICKY_TIMEOUT_MS: '10000' };
  const workers = new Workers(cluster, env);
  const play = (load: Load): Promise<Played> => measure(cluster, workers, load);
  try {
    await workers.start(2);
    await play(warmUp);
    const [turns, children] = [await play(onlyTurns), await play(mostlyChildren)];
    const perTurn = scale(turns.used, 1 / turnsOf(onlyTurns));
    const ofTurns = scale(perTurn, turnsOf(mostlyChildren));
    const perChild = scale(difference(children.used, ofTurns), 1 / childrenOf(mostlyChildren));
    const measured = await play(mixture);
    const predicted = sum(scale(perTurn, turnsOf(mixture)), scale(perChild, childrenOf(mixture)));
    report({ perTurn, perChild, predicted, measured: measured.used }, say);
    const rate = `${perSecond(turnsOf(mixture), measured)} turns and ${perSecond(childrenOf(mixture), measured)} delegations per second`;
    say(`${mixture.runs} runs at the same time: ${rate}, ${measured.seconds.toFixed(0)} s`);
    const error = cpu(measured.used) / cpu(predicted);
    say(`the load took ${error.toFixed(2)} times the processor time that was predicted`);
    return error > 0.5 && error < 2 ? [] : [`the prediction is off by the factor ${error.toFixed(2)}`];
  } finally {
    await workers.close();
    await model.close();
  }
}

const script: Script = (call) => {
  if (delegationDepth(call) > 0)
    return call.turn === 0 ? useTools([{ name: 'add_note', input: { text: 'Seen.' } }]) : answer('Done.');
  const [, turns = 0, children = 0] =
    /(\d+) turns, (\d+) children/.exec(call.systemText + JSON.stringify(call.request.messages))?.map(Number) ?? [];
  if (call.turn >= turns - 1) return answer('Done.');
  if (call.turn > 0 || children === 0) return useTools([{ name: 'add_note', input: { text: `Turn ${call.turn}.` } }]);
  return useTools(
    Array.from({ length: children }, (_, index) => ({
      name: 'dispatch_subagent',
      input: dispatch({ instructions: `Look at part ${index}.` }),
    })),
  );
};

interface Played {
  readonly used: Usage;
  readonly seconds: number;
}

async function measure(cluster: Cluster, workers: Workers, load: Load): Promise<Played> {
  const [before, from] = [await readUsage(cluster, workers), Date.now()];
  const started = Array.from({ length: load.runs }, async () => {
    const runId = `load-${newRunId()}`;
    await startRun(cluster.client, taskQueue, {
      runId,
      goal: `Take ${load.turns} turns, ${load.children} children. This is ${runId}.`,
      model: { name: 'claude-sonnet-5-5', maxTokens: 1_000, window: 200_000 },
      limits: { ...defaultLimits, maxTurns: 50 },
    });
    await cluster.client.workflow.getHandle(runWorkflowId(runId)).result();
  });
  await Promise.all(started);
  const seconds = (Date.now() - from) / 1_000;
  // Statistics of the database are a moment behind.
  await sleep(2_000);
  return { used: difference(await readUsage(cluster, workers), before), seconds };
}

function turnsOf({ runs, turns, children }: Load): number {
  return runs * (turns + children * turnsOfChild);
}

function childrenOf({ runs, children }: Load): number {
  return runs * children;
}

function scale(usage: Usage, factor: number): Usage {
  return Object.fromEntries(Object.entries(usage).map(([name, value]) => [name, (value as number) * factor])) as never;
}

function sum(one: Usage, other: Usage): Usage {
  return difference(one, scale(other, -1));
}

function cpu({ serverCpu, databaseCpu, objectsCpu, workersCpu }: Usage): number {
  return serverCpu + databaseCpu + objectsCpu + workersCpu;
}

function perSecond(count: number, { seconds }: Played): string {
  return (count / seconds).toFixed(1);
}

const rows: readonly (readonly [name: string, field: keyof Usage, factor: number])[] = [
  ['CPU of the Temporal server, ms', 'serverCpu', 1_000],
  ['CPU of PostgreSQL, ms', 'databaseCpu', 1_000],
  ['CPU of the S3 server, ms', 'objectsCpu', 1_000],
  ['CPU of workers, ms', 'workersCpu', 1_000],
  ['commits', 'commits', 1],
  ['bytes of the write-ahead log', 'logBytes', 1],
  ['bytes that PostgreSQL keeps', 'storedBytes', 1],
];

function report(columns: Readonly<Record<string, Usage>>, say: (line: string) => void): void {
  say(['per turn', 'per delegation', 'predicted', 'measured'].map((title) => title.padStart(15)).join('') + '  of');
  for (const [name, field, factor] of rows) {
    const values = Object.values(columns).map((usage) => (usage[field] * factor).toFixed(1).padStart(15));
    say(`${values.join('')}  ${name}`);
  }
}
