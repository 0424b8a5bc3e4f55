import type { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { limitedTaskQueue } from '../../temporal-config/task-queues';
import { millisecondsOf } from '../why/why';

const { TASK_QUEUE_TYPE_ACTIVITY: ofActivities } = temporal.api.enums.v1.TaskQueueType;

/** The limit of requests that the server keeps for the workers of a task queue together. */
export interface QueueLimit {
  /** Pattern of the models. */
  readonly pattern: string;
  readonly taskQueue: string;
  /** Requests per minute; null if the server limits nothing. */
  readonly requestsPerMinute: number | null;
  /** Who set it: an operator, or else the configuration of the worker that polled last. */
  readonly setBy: 'operator' | 'worker' | null;
  /** Reason that the operator gave; null if there is none. */
  readonly reason: string | null;
  /** Workers that poll the queue. */
  readonly workers: number;
  /** Turns that wait. */
  readonly waiting: number;
  /** How long the oldest of them has waited, in milliseconds. */
  readonly waitedMs: number;
}

/** Reads the limit of the models that a pattern names. `workflows` is the task queue of the workflows. */
export async function readQueueLimit(client: Client, workflows: string, pattern: string): Promise<QueueLimit> {
  const taskQueue = limitedTaskQueue(workflows, pattern);
  const { effectiveRateLimit, config, pollers, stats } = await client.workflowService.describeTaskQueue({
    namespace: client.options.namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: ofActivities,
    reportConfig: true,
    reportStats: true,
  });
  const byOperator = config?.queueRateLimit;
  const perSecond = effectiveRateLimit?.requestsPerSecond ?? 0;
  // Without a limit of ours, the server reports its own, which is far beyond anything that a provider allows.
  const isSet = perSecond > 0 && effectiveRateLimit?.rateLimitSource !== systemSource;
  return {
    pattern,
    taskQueue,
    requestsPerMinute: isSet ? Math.round(perSecond * 60_000) / 1_000 : null,
    setBy: !isSet ? null : byOperator?.rateLimit == null ? 'worker' : 'operator',
    reason: byOperator?.metadata?.reason || null,
    workers: pollers.length,
    waiting: Number(String(stats?.approximateBacklogCount ?? 0)),
    waitedMs: millisecondsOf(stats?.approximateBacklogAge),
  };
}

const { RATE_LIMIT_SOURCE_SYSTEM: systemSource } = temporal.api.enums.v1.RateLimitSource;

/** What an operator changes. */
export interface QueueLimitChange {
  /** Requests per minute of all workers together; null for what the workers are configured with. */
  readonly requestsPerMinute: number | null;
  readonly reason?: string | undefined;
}

/** Changes the limit of the models that a pattern names, for runs in progress too. */
export async function setQueueLimit(
  client: Client,
  workflows: string,
  pattern: string,
  { requestsPerMinute, reason = '' }: QueueLimitChange,
): Promise<void> {
  const { namespace, identity } = client.options;
  await client.workflowService.updateTaskQueueConfig({
    namespace,
    identity,
    taskQueue: limitedTaskQueue(workflows, pattern),
    taskQueueType: ofActivities,
    updateQueueRateLimit: {
      ...(requestsPerMinute === null ? {} : { rateLimit: { requestsPerSecond: requestsPerMinute / 60 } }),
      reason,
    },
  });
}
