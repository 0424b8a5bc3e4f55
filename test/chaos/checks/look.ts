import { setTimeout as pause } from 'node:timers/promises';
import { readRunRecord } from '../../../store/run-record';
import { stopWorker } from '../faults/workers';
import type { Round } from '../round';
import type { WorkerReport } from '../session/worker-plan';
import type { ChaosWorker } from '../session/workers';
import { Expected } from '../tree/expected';
import { introducedIn } from '../tree/plan';

/** One execution of a workflow of the run, as the server lists it. */
interface ListedExecution {
  readonly workflowId: string;
  readonly runId: string;
  readonly type: string;
  readonly status: string;
}

/** What checks look at after a round: the server's list, and which agent each delegation is. */
export interface Aftermath {
  readonly round: Round;
  readonly expected: Expected;
  readonly executions: readonly ListedExecution[];
  /** Workflow ids of the delegations, by the name of the agent. Each agent must have one. */
  readonly idsOf: ReadonlyMap<string, readonly string[]>;
  readonly reports: ReadonlyMap<ChaosWorker, WorkerReport>;
}

/** A check of a round. Returns a sentence for everything that is wrong. */
export type Check = (aftermath: Aftermath) => Promise<string[]> | string[];

/** How long the server may take to close the children of a closed workflow, and to list what it did. */
const settleMs = 20_000;

export async function lookAt(round: Round): Promise<Aftermath> {
  const expected = new Expected(round.tree.root, round.terminated);
  await round.session.workers.fill();
  const executions = await settled(round);
  const reports = await reportsOf(round);
  round.longestStallMs = Math.max(round.session.stalls.take(), ...stallsOf(round, reports));
  return { round, expected, executions, idsOf: await delegationIds(round), reports };
}

/** Reads the server's own list, so that executions that nothing refers to are found too. It lags behind a little. */
async function settled(round: Round): Promise<ListedExecution[]> {
  const end = Date.now() + settleMs;
  for (;;) {
    const listed = await list(round);
    if (listed.every(({ status }) => status !== 'RUNNING') || Date.now() > end) return listed;
    await pause(200);
  }
}

/** Whether a worker was stopped in the round. */
export function wasStopped({ strikes }: Round): boolean {
  return strikes.some(({ fault }) => fault === stopWorker);
}

async function reportsOf({ session: { workers } }: Round): Promise<Map<ChaosWorker, WorkerReport>> {
  return new Map(
    await Promise.all(workers.running.map(async (worker) => [worker, await workers.report(worker)] as const)),
  );
}

function stallsOf(round: Round, reports: Aftermath['reports']): number[] {
  return wasStopped(round) ? [] : [...reports.values()].map(({ longestStallMs }) => longestStallMs);
}

async function list({ session: { client }, workflowId }: Round): Promise<ListedExecution[]> {
  const found: ListedExecution[] = [];
  for await (const one of client.workflow.list({ query: `WorkflowId STARTS_WITH "${workflowId}"` })) {
    if (one.workflowId !== workflowId && !one.workflowId.startsWith(`${workflowId}/`)) continue;
    found.push({ workflowId: one.workflowId, runId: one.runId, type: one.type, status: one.status.name });
  }
  return found;
}

export async function delegationIds({
  session,
  tree: { runId, root },
  workflowId,
}: Pick<Round, 'session' | 'tree' | 'workflowId'>): Promise<Map<string, string[]>> {
  const record = await readRunRecord(session.store.forRun(runId));
  const ids = new Map<string, string[]>([[root.name, [workflowId]]]);
  for (const { delegationId, request, headline } of record?.delegations ?? []) {
    const name = introducedIn(headline, runId) ?? 'nobody';
    ids.set(name, [...(ids.get(name) ?? []), `${request.parent}/${delegationId}`]);
  }
  return ids;
}
