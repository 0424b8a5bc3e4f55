import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { delegationPath, displayId, owningRunId } from '../../domain/kernel';
import { parkedQuery, subtreeQuery } from '../agent/find-agent';
import { queryAgentStatus } from '../agent/outcome';
import { countActivityWorkers } from '../../temporal-config/node/activity-workers';
import { findFailingTask } from '../../temporal-config/node/failing-tasks';
import { patternOfQueue } from '../../temporal-config/task-queues';
import { plural, remedyFor } from '../format';
import { commandsFor, detailsCommand, formatIncident } from '../operator/decide';
import { mountProgress } from '../workspace/mount-progress';
import { failingIn, failsAsWell, isWithin, taskFails } from './failing-task';
import { limitWait } from './limit-wait';
import {
  adoptedChildren,
  busyWith,
  missingSlot,
  pendingChildren,
  queuesWaitedOn,
  type Retrying,
  retrying,
  storeTrouble,
  waitsForWorker,
} from './pending';
import {
  describeExhausted,
  describeUnserved,
  exhaustedRemedy,
  readQueue,
  unservedRemedy,
  workersOfVersion,
} from './task-queues';
import { diagnosis, type Diagnosis, fallbackRemarks, onePage, pathBetween, withRemarks } from './why';

/** Diagnoses a running agent. One list finds parked agents; otherwise the oldest delegations are followed down. */
export async function diagnoseWaiting(client: Client, description: WorkflowExecutionDescription): Promise<Diagnosis> {
  const top = description.workflowId;
  const [failing, parked] = await Promise.all([
    failingIn(client, description),
    onePage(client, `${subtreeQuery(top)} AND ${parkedQuery}`),
  ]);
  const first = [...parked].sort((a, b) => a.startedAt - b.startedAt)[0];
  // An agent whose task fails can't take a decision, and its delegations can't return their results to it.
  if (failing !== undefined && (first === undefined || isWithin(first.workflowId, failing.workflowId)))
    return taskFails(client, top, failing, parked.length);
  if (first !== undefined) {
    const waits = await parkedAt(client, top, first.workflowId, parked.length);
    return withRemarks(waits ?? unanswered(top, first.workflowId), failing === undefined ? [] : [failsAsWell(failing)]);
  }
  if (await lacksWorker(client, description)) return noWorker(top, description.taskQueue);
  const pinned = await lacksVersion(client, description);
  if (pinned !== undefined) return noVersion(top, pinned);
  const snapshot = await queryAgentStatus(client, top);
  if (snapshot !== undefined && snapshot.incidents.length > 0)
    return (await parkedAt(client, top, top, 1, snapshot)) ?? unanswered(top, top);
  if (snapshot?.paused === true) return paused(top);
  return descend(client, top, description, snapshot?.waitingFor ?? '', fallbackRemarks(snapshot?.fallbacks));
}

type Snapshot = NonNullable<Awaited<ReturnType<typeof queryAgentStatus>>>;

async function parkedAt(
  client: Client,
  top: string,
  workflowId: string,
  parked: number,
  cached?: Snapshot,
): Promise<Diagnosis | undefined> {
  const { incidents = [], moreIncidents = 0, fallbacks } = cached ?? (await queryAgentStatus(client, workflowId)) ?? {};
  const [incident] = incidents;
  if (incident === undefined) return undefined;
  const others = parked + incidents.length + moreIncidents - 2;
  const details = detailsCommand({ workflowId, incident });
  return diagnosis({
    verdict: 'waiting',
    path: pathBetween(top, workflowId),
    type: incident.type,
    message: `waiting for an operator since ${incident.since}: ${formatIncident(incident)}`,
    remedy: remedyFor(incident.type) ?? null,
    commands: commandsFor({ workflowId, incident }),
    remarks: [
      ...fallbackRemarks(fallbacks),
      ...(incident.until === undefined ? [] : [`Without a decision, it continues at ${incident.until}.`]),
      ...(details === undefined ? [] : [`All of it: ${details}`]),
      ...(others > 0
        ? [`${plural(others, 'more incident')} waiting for an operator in this run: baton tree ${owningRunId(top)}`]
        : []),
    ],
  });
}

function unanswered(top: string, leaf: string): Diagnosis {
  return diagnosis({
    verdict: 'waiting',
    path: pathBetween(top, leaf),
    message: 'waiting for an operator; the incident is unknown because no worker answered',
    commands: ['baton worker', `baton why ${displayId(top)}`],
  });
}

function noWorker(top: string, taskQueue: string, leaf = top): Diagnosis {
  return diagnosis({
    verdict: 'waiting',
    path: pathBetween(top, leaf),
    message: `no worker is polling task queue "${taskQueue}"`,
    remedy: 'Start one with: baton worker (same BATON_TASK_QUEUE)',
    commands: ['baton worker', 'baton doctor'],
  });
}

function paused(top: string): Diagnosis {
  return diagnosis({
    verdict: 'waiting',
    path: [top],
    message: 'it was paused by an operator',
    commands: [`baton resume ${displayId(top)}`],
  });
}

function retryMessage({ step, attempt, next, type, message, storeTroubleSince }: Retrying): string {
  if (type === 'Model.AtLimit') return `waiting for the provider's rate limit${next}`;
  const tries = `attempt ${attempt}${next}`;
  if (storeTroubleSince === undefined) return `${step} failed and is being retried (${tries}): ${message}`;
  return `${storeTrouble(type, storeTroubleSince)}; runs continue by themselves when it is back, and nothing is paid twice. ${step} waits for it (${tries}): ${message}`;
}

function isRetried(top: string, path: readonly string[], failure: Retrying, remarks: readonly string[]): Diagnosis {
  const { type, storeTroubleSince } = failure;
  return diagnosis({
    verdict: 'waiting',
    path,
    type,
    message: retryMessage(failure),
    remedy: remedyFor(type) ?? null,
    commands: [storeTroubleSince === undefined ? `baton tail ${owningRunId(top)} --follow` : 'baton doctor'],
    remarks,
  });
}

/** Follows the oldest delegation down, with one request for each level. */
async function descend(
  client: Client,
  top: string,
  description: WorkflowExecutionDescription,
  waitingFor: string,
  waits: readonly string[] = [],
): Promise<Diagnosis> {
  const at = description.workflowId;
  const path = pathBetween(top, at);
  const failure = await retrying(client, description);
  if (failure !== undefined) return isRetried(top, path, failure, waits);
  const own = pendingChildren(description);
  const children = [...own, ...(await adoptedChildren(client, description))];
  const [oldest] = children;
  if (oldest !== undefined) {
    const many =
      children.length === 1 ? 'one delegation' : `${children.length} delegations, the oldest of which is shown`;
    const below = await client.workflow.getHandle(oldest).describe();
    if (own.includes(oldest) && hasEndedUnnoticed(below)) return waitsInVain(path, oldest, waits);
    const failing = await findFailingTask(client, below);
    if (failing !== undefined) return taskFails(client, top, failing);
    const name = delegationPath(at).length === 0 ? 'The root' : displayId(at);
    return descend(client, top, below, '', [...waits, `${name} is waiting for ${many}.`]);
  }
  if (at !== top && (await lacksWorker(client, description))) return noWorker(top, description.taskQueue, at);
  return (
    (await withoutPoller(client, top, description)) ??
    (await atLimit(client, path, description, waits)) ??
    (await withoutSlot(client, path, description, waits)) ??
    diagnosis({
      verdict: 'running',
      path,
      message: (await mountProgress(client, description)) ?? (await busyWith(client, description, waitingFor)),
      remarks: waits,
    })
  );
}

/** Time in which the server tells an agent that its delegation has ended, in milliseconds. */
const noticedWithinMs = 10_000;

/** Whether a delegation ended some time ago, although it still runs as far as its parent knows. */
function hasEndedUnnoticed({ closeTime }: WorkflowExecutionDescription): boolean {
  return closeTime !== undefined && Date.now() - closeTime.getTime() > noticedWithinMs;
}

/** Diagnoses an agent that was reset after its delegation had ended, which the server does not tell it: docs/decisions/resets.md. */
function waitsInVain(path: readonly string[], ended: string, remarks: readonly string[]): Diagnosis {
  const at = path.at(-1) ?? '';
  return diagnosis({
    verdict: 'waiting',
    path,
    message: `waiting for ${displayId(ended)}, which ended while ${displayId(at)} was closed: after the reset, the server does not report that end`,
    remedy:
      'Terminate it, and let Baton take it back to a point before the delegation. Answers that were paid for are used again.',
    commands: [`temporal workflow terminate --workflow-id ${at}`, `baton retry ${displayId(at)}`],
    remarks,
  });
}

/**
 * Whether a task waits and nobody polls. Workers poll all queues of a task queue, and for workflow tasks even when all
 * other slots are in use.
 */
async function lacksWorker(client: Client, description: WorkflowExecutionDescription): Promise<boolean> {
  return waitsForWorker(description) && (await readQueue(client, description.taskQueue, 'workflow')).workers === 0;
}

/**
 * Diagnoses a step on a task queue that no worker polls, because of the roles or the limits of the workers, or because
 * those that do this work have no free slot.
 */
async function withoutPoller(
  client: Client,
  top: string,
  description: WorkflowExecutionDescription,
): Promise<Diagnosis | undefined> {
  const waited = await Promise.all(
    queuesWaitedOn(description).map(async (queue) => ({
      ...queue,
      pattern: patternOfQueue(description.taskQueue, queue.taskQueue),
      workers: await countActivityWorkers(client, queue.taskQueue),
    })),
  );
  const unpolled = waited.find(({ workers }) => workers === 0);
  if (unpolled === undefined) return undefined;
  const busy = waited.filter(({ workers, pattern }) => workers > 0 && pattern === undefined);
  const { kind, taskQueue, pattern } = unpolled;
  return {
    ...noWorker(top, taskQueue, description.workflowId),
    message: describeUnserved(kind, taskQueue, pattern),
    remedy: unservedRemedy(kind, pattern),
    remarks: busy.map((queue) => `Another step waits for a free slot on task queue "${queue.taskQueue}".`),
  };
}

/** Diagnoses a turn that waits for the limit of its provider; undefined if none does. */
async function atLimit(
  client: Client,
  path: readonly string[],
  description: WorkflowExecutionDescription,
  remarks: readonly string[],
): Promise<Diagnosis | undefined> {
  const what = await limitWait(client, description);
  if (what === undefined) return undefined;
  return diagnosis({
    verdict: 'waiting',
    path,
    message: `waiting for ${what}`,
    remedy: remedyFor('Model.AtLimit') ?? null,
    commands: ['baton limits show'],
    remarks,
  });
}

interface Pinned {
  readonly deployment: string;
  readonly buildId: string;
}

/** The version that a workflow is pinned to, if a task waits and no worker of that version polls. */
async function lacksVersion(client: Client, description: WorkflowExecutionDescription): Promise<Pinned | undefined> {
  const { deploymentName: deployment, buildId } =
    description.raw.workflowExecutionInfo?.versioningInfo?.deploymentVersion ?? {};
  if (!deployment || !buildId || !waitsForWorker(description)) return undefined;
  const workers = await workersOfVersion(client, description.taskQueue, buildId);
  return workers === 0 ? { deployment, buildId } : undefined;
}

function noVersion(top: string, { deployment, buildId }: Pinned): Diagnosis {
  return diagnosis({
    verdict: 'waiting',
    path: [top],
    message: `it is pinned to version ${buildId} of deployment "${deployment}", and no worker of that version polls`,
    remedy: `Start a worker with the same code, BATON_DEPLOYMENT=${deployment} and BATON_BUILD_ID=${buildId}, or move it to the current version.`,
    commands: [
      `baton versions --deployment ${deployment}`,
      `temporal workflow update-options --workflow-id ${top} --versioning-override-behavior auto_upgrade`,
    ],
  });
}

/** Diagnoses a step that waits for a worker with a free slot; undefined if none does. */
async function withoutSlot(
  client: Client,
  path: readonly string[],
  description: WorkflowExecutionDescription,
  remarks: readonly string[],
): Promise<Diagnosis | undefined> {
  const kind = missingSlot(description);
  if (kind === undefined) return undefined;
  const queue = await readQueue(client, description.taskQueue, kind);
  return diagnosis({
    verdict: 'waiting',
    path,
    message: describeExhausted(queue),
    remedy: exhaustedRemedy(kind),
    commands: ['baton worker', 'baton doctor'],
    remarks,
  });
}
