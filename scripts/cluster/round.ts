import { setTimeout as sleep } from 'node:timers/promises';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { auditRun, type AuditedAgent } from '../../client/prompt/audit-run';
import { newRunId } from '../../client/baton';
import { startRun } from '../../client/agent/start';
import { scriptedEnvironment } from '../../cli/service/scripted-environment';
import { defaultLimits, type RunInput } from '../../domain/agent';
import { runWorkflowId } from '../../domain/kernel';
import type { Store } from '../../domain/store';
import { type ScriptedCall, startScriptedModel } from '../../testing/scripted-model';
import type { RunWorkflow } from '../../workflows/agent/run-workflow';
import type { Cluster } from './cluster';
import { repetitions } from './calls';
import { faultsFor, inflict } from './faults';
import { expectedCalls, files, playTree } from './fixed-tree';
import { differences, observe, type Observation } from './observe';
import { Workers } from './workers';

/** What a round does. */
export interface RoundPlan {
  readonly seed: number;
  /** Number of trees of delegations that run at the same time. */
  readonly runs: number;
  /** Number of kills; 0 for an undisturbed round. */
  readonly kills: number;
}

/** What happened in a round. */
export interface Round {
  readonly observations: readonly Observation[];
  readonly calls: number;
  readonly repeated: number;
  /** What went wrong; empty in a good round. */
  readonly violations: readonly string[];
}

const taskQueue = 'cluster';
const workerCount = 3;
const limitMs = 600_000;

/** Runs trees of delegations on three workers while something dies, and looks at all results from outside. */
export async function playRound(
  cluster: Cluster,
  store: Store,
  plan: RoundPlan,
  say: (line: string) => void,
): Promise<Omit<Round, 'violations'> & { violations: string[] }> {
  const asked: ScriptedCall[] = [];
  const model = await startScriptedModel((call) => {
    asked.push(call);
    return playTree(call);
  });
  const workers = new Workers(cluster, { ...scriptedEnvironment(model), BATON_TASK_QUEUE: taskQueue });
  try {
    await workers.start(workerCount);
    const root = await workspace(cluster);
    const runIds = Array.from({ length: plan.runs }, () => `cluster-${newRunId()}`);
    for (const runId of runIds) await startRun(cluster.client, taskQueue, inputFor(runId, root));
    const ends = inTime(Promise.all(runIds.map((runId) => look(cluster, store, runId, asked))));
    // Awaited below; a failure while something is being killed must not end the process.
    ends.catch(() => undefined);
    const faults = plan.kills === 0 ? [] : faultsFor(plan.seed, expectedCalls * plan.runs, plan.kills);
    for (const fault of faults) {
      await Promise.race([model.waitForCall(fault.call), ends]);
      say(`  at call ${fault.call}: ${await inflict(fault, cluster, workers)}`);
    }
    const looks = await ends;
    const kills = faults.length;
    return {
      observations: looks.map(({ observation }) => observation),
      calls: asked.length,
      repeated: asked.length - expectedCalls * plan.runs,
      violations: [...looks.flatMap(({ damage }) => damage), ...repetitions(asked, runIds, kills)],
    };
  } finally {
    await workers.close();
    await model.close();
  }
}

/** Compares the observations of a round with those of a round in which nothing died. */
export function compare(round: Round, expected: Observation): string[] {
  return round.observations.flatMap((observed) => differences(expected, observed));
}

function inputFor(runId: string, root: string): RunInput {
  return {
    runId,
    goal: `You are the root of ${runId}.`,
    model: { name: 'claude-sonnet-5-5', maxTokens: 1_000, window: 200_000 },
    limits: { ...defaultLimits, maxTurns: 50 },
    tuning: { heartbeatTimeoutMs: 3_000 },
    workspace: { root },
  };
}

async function workspace({ folder }: Cluster): Promise<string> {
  const root = join(folder, 'workspace');
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
  return root;
}

/** Waits until a run has ended, reads its results from the store, and rebuilds every prompt from the record. */
async function look(
  cluster: Cluster,
  store: Store,
  runId: string,
  asked: readonly ScriptedCall[],
): Promise<{ observation: Observation; damage: string[] }> {
  const handle = cluster.client.workflow.getHandle<RunWorkflow>(runWorkflowId(runId));
  await patient(() => handle.result());
  const own = asked.filter(({ systemText }) => systemText.includes(runId));
  const observation = await patient(() => observe({ client: cluster.client, store }, handle, own));
  const agents = flatten(await patient(() => auditRun(cluster.client, store.forRun(runId))));
  const damaged = agents.filter(({ difference }) => difference !== null);
  return {
    observation,
    damage: damaged.map(({ workflowId, difference }) => `the record of ${workflowId} is damaged: ${difference}`),
  };
}

function flatten(agent: AuditedAgent): AuditedAgent[] {
  return [agent, ...agent.children.flatMap(flatten)];
}

/** The observer talks to the same servers that are being killed, so it asks again. A run that failed stays failed. */
async function patient<T>(ask: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ask();
    } catch (error) {
      if (attempt === 20 || (error instanceof Error && error.name === 'WorkflowFailedError')) throw error;
      await sleep(500);
    }
  }
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`The runs did not end within ${limitMs / 1_000} s`));
    }, limitMs);
  });
  return Promise.race([work, late]).finally(() => {
    clearTimeout(timer);
  });
}
