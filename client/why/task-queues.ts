import type { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { silenceMs } from '../../temporal-config/node/activity-workers';
import { slotSettings, taskQueueFor, type WorkKind, type WorkerSlots } from '../../temporal-config/task-queues';
import { formatDuration, plural } from '../format';
import { millisecondsOf } from './why';

const { TASK_QUEUE_TYPE_WORKFLOW: ofWorkflows, TASK_QUEUE_TYPE_ACTIVITY: ofActivities } =
  temporal.api.enums.v1.TaskQueueType;

const { WORKER_VERSIONING_MODE_VERSIONED: versioned } = temporal.api.enums.v1.WorkerVersioningMode;

/** A task that waits longer than this found no free slot: otherwise it is picked up in milliseconds. */
const patienceMs = 3_000;

/** Names of the kinds of work for users. */
const workNames: Readonly<Record<keyof WorkerSlots, string>> = {
  model: 'model calls',
  tool: 'tools',
  control: 'control work',
  workflow: 'workflow tasks',
};

/** The queue of one kind of work, as the server sees it. */
export interface QueueState {
  readonly kind: keyof WorkerSlots;
  readonly taskQueue: string;
  /** Workers that polled it in the last minute. One without a free slot does not poll. */
  readonly workers: number;
  /** How many of them have which workflow code, by its build id. */
  readonly builds: ReadonlyMap<string, number>;
  /** Tasks that no worker has started. */
  readonly waiting: number;
  /** How long the oldest of them has waited. */
  readonly waitedMs: number;
}

/** Reads the state of one queue. `taskQueue` is the task queue of the workflows. */
export async function readQueue(client: Client, taskQueue: string, kind: keyof WorkerSlots): Promise<QueueState> {
  const name = kind === 'workflow' ? taskQueue : taskQueueFor(taskQueue, kind);
  const { pollers, stats } = await client.workflowService.describeTaskQueue({
    namespace: client.options.namespace,
    taskQueue: { name },
    taskQueueType: kind === 'workflow' ? ofWorkflows : ofActivities,
    reportStats: true,
  });
  const alive = pollers.filter(({ lastAccessTime }) => Date.now() - millisecondsOf(lastAccessTime) < silenceMs);
  const builds = new Map<string, number>();
  // Workers of a deployment may differ: that is what its versions are for.
  for (const { workerVersionCapabilities } of alive.filter((poller) => !isVersioned(poller))) {
    const build = workerVersionCapabilities?.buildId || 'unknown';
    builds.set(build, (builds.get(build) ?? 0) + 1);
  }
  return {
    kind,
    taskQueue: name,
    workers: alive.length,
    builds,
    waiting: Number(String(stats?.approximateBacklogCount ?? 0)),
    waitedMs: millisecondsOf(stats?.approximateBacklogAge),
  };
}

/** Returns how many workers of one version of a deployment polled the queue of the workflows in the last minute. */
export async function workersOfVersion(client: Client, taskQueue: string, buildId: string): Promise<number> {
  const { pollers } = await client.workflowService.describeTaskQueue({
    namespace: client.options.namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: ofWorkflows,
  });
  return pollers.filter(
    (poller) =>
      isVersioned(poller) &&
      poller.deploymentOptions?.buildId === buildId &&
      Date.now() - millisecondsOf(poller.lastAccessTime) < silenceMs,
  ).length;
}

function isVersioned({ deploymentOptions }: temporal.api.taskqueue.v1.IPollerInfo): boolean {
  return deploymentOptions?.workerVersioningMode === versioned;
}

/** Reads the queues of all kinds of work. */
export function readQueues(client: Client, taskQueue: string): Promise<readonly QueueState[]> {
  const kinds = ['workflow', 'model', 'tool', 'control'] as const;
  return Promise.all(kinds.map((kind) => readQueue(client, taskQueue, kind)));
}

/** Returns whether tasks wait longer than they do with a worker that has a free slot. */
export function isExhausted({ waiting, waitedMs }: QueueState): boolean {
  return waiting > 0 && waitedMs > patienceMs;
}

/** Whether a step has waited longer for a worker than it would with a free slot. */
export function hasWaitedForSlot(scheduledMs: number): boolean {
  return scheduledMs > 0 && Date.now() - scheduledMs > patienceMs;
}

/** Describes the workflow code of the workers of a queue, in one clause: 2 workers with x7k2q, 1 worker with 0f3ab. */
export function describeBuilds({ builds }: Pick<QueueState, 'builds'>): string {
  return [...builds].map(([build, workers]) => `${plural(workers, 'worker')} with ${build}`).join(', ');
}

/** What to do about workers of one task queue that differ. */
export const differentCodeRemedy =
  'Run the same version of Baton with the same slices in all workers of a task queue. A worker that was just replaced is listed for another minute.';

/** Describes slots that are all in use, in one clause. */
export function describeExhausted({ kind, taskQueue, waiting, waitedMs }: QueueState): string {
  const oldest = waitedMs > 0 ? `, the oldest for ${formatDuration(waitedMs)}` : '';
  return `all slots for ${workNames[kind]} are in use: ${plural(Math.max(waiting, 1), 'task')} waiting on task queue "${taskQueue}"${oldest}`;
}

/** Says what to do about slots that are all in use. */
export function exhaustedRemedy(kind: keyof WorkerSlots | WorkKind): string {
  return `Start another worker, or raise ${slotSettings[kind]} and restart this one. The tasks continue by themselves when a slot is free.`;
}

/**
 * Describes a queue of activities on which tasks wait and that no worker polls, in one clause. It names both possible
 * causes: to the server, a worker whose slots are all in use looks like one that is not there. `pattern` is that of the
 * limit that the queue belongs to.
 */
export function describeUnserved(kind: WorkKind, taskQueue: string, pattern?: string): string {
  const missing = pattern === undefined ? `no worker does ${workNames[kind]}` : `no worker has a limit for ${pattern}`;
  return `no worker is polling task queue "${taskQueue}": either ${missing}, or all slots for ${workNames[kind]} are in use`;
}

/** Says what to do about such a queue. */
export function unservedRemedy(kind: WorkKind, pattern?: string): string {
  const missing =
    pattern === undefined
      ? `Start a worker that has this role: baton worker (BATON_WORKER_ROLES).`
      : `The run was started with a limit for ${pattern}. Start a worker that has one, however high (BATON_MODEL_LIMITS).`;
  return `${missing} If there is one, start another, or raise ${slotSettings[kind]} and restart it.`;
}

/** What is wrong with queues, in one clause each, and what to do about it. */
export interface QueueProblems {
  readonly detail: string;
  readonly fix: string;
}

/** Describes the queues that no worker polls or on which tasks wait; undefined if there are none. */
export function describeQueueProblems(queues: readonly QueueState[]): QueueProblems | undefined {
  const problems = queues.flatMap((queue) => queueProblem(queue) ?? []);
  if (problems.length === 0) return undefined;
  return {
    detail: problems.map(({ detail }) => detail).join('; '),
    fix: [...new Set(problems.map(({ fix }) => fix))].join(' '),
  };
}

function queueProblem(queue: QueueState): QueueProblems | undefined {
  const { kind, taskQueue, workers } = queue;
  if (workers > 0 || kind === 'workflow')
    return isExhausted(queue) ? { detail: describeExhausted(queue), fix: exhaustedRemedy(kind) } : undefined;
  if (isExhausted(queue)) return { detail: describeUnserved(kind, taskQueue), fix: unservedRemedy(kind) };
  return {
    detail: `no worker does ${workNames[kind]} (task queue "${taskQueue}")`,
    fix: 'Start a worker with the missing role (BATON_WORKER_ROLES), or one without roles, which does everything.',
  };
}
