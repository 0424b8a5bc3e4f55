import type { WorkerOptions } from '@temporalio/worker';
import { InvalidInputError } from '../../domain/kernel';
import type { ModelLimit, ModelLimits } from '../../domain/limit';
import {
  limitedTaskQueue,
  taskQueueFor,
  type WorkerPollers,
  workerRoles,
  type WorkerRole,
  type WorkerSlots,
} from '../../temporal-config/task-queues';
import { checkedSlots } from './temporal-options';

/** What decides which task queues a worker polls, and how. */
export interface QueueSettings {
  readonly taskQueue: string;
  readonly roles?: readonly WorkerRole[] | undefined;
  readonly slots?: Partial<WorkerSlots> | undefined;
  readonly pollers?: WorkerPollers | undefined;
  readonly limits: ModelLimits;
}

/** A task queue that a worker polls. */
export interface PolledQueue {
  /** Whether its workflow tasks are polled. */
  readonly hasWorkflows: boolean;
  readonly options: Pick<WorkerOptions, 'taskQueue'> & Partial<WorkerOptions>;
}

/** Returns the task queues that a worker polls. Throws an `InvalidInputError` for a role or a number that is not allowed. */
export function polledQueues(settings: QueueSettings): readonly PolledQueue[] {
  const { taskQueue, limits } = settings;
  const roles = checkedRoles(settings.roles ?? workerRoles);
  const slots = checkedSlots(settings.slots);
  const polls = activityPolls(settings.pollers);
  const others = (['tool', 'control'] as const).filter((kind) => roles.has(kind === 'tool' ? 'tools' : 'control'));
  return [
    ...(roles.has('agents') || roles.has('models') ? [agentQueue(settings, roles, slots)] : []),
    ...(roles.has('models') ? Object.entries(limits) : []).map(([pattern, limit]) =>
      activitiesOnly({ taskQueue: limitedTaskQueue(taskQueue, pattern), ...polls, ...limitOptions(limit, slots) }),
    ),
    ...others.map((kind) =>
      activitiesOnly({
        taskQueue: taskQueueFor(taskQueue, kind),
        ...polls,
        maxConcurrentActivityTaskExecutions: slots[kind],
      }),
    ),
  ];
}

/** The queue of workflow tasks, and of the turns of models without a limit. */
function agentQueue(
  { taskQueue, pollers = {} }: QueueSettings,
  roles: ReadonlySet<WorkerRole>,
  slots: WorkerSlots,
): PolledQueue {
  const { workflow } = pollers;
  return {
    hasWorkflows: roles.has('agents'),
    options: {
      taskQueue: taskQueueFor(taskQueue, 'model'),
      ...activityPolls(pollers),
      ...(workflow === undefined ? {} : { maxConcurrentWorkflowTaskPolls: Math.min(workflow, slots.workflow) }),
      maxConcurrentActivityTaskExecutions: slots.model,
      maxConcurrentWorkflowTaskExecutions: slots.workflow,
      ...(roles.has('models') ? {} : { enableNonLocalActivities: false }),
    },
  };
}

function activitiesOnly(options: PolledQueue['options']): PolledQueue {
  return { hasWorkflows: false, options };
}

/** The server limits requests, for all workers together. A turn without a free slot waits there too. */
function limitOptions({ requestsPerMinute, concurrent = Infinity }: ModelLimit, { model }: WorkerSlots) {
  return {
    maxConcurrentActivityTaskExecutions: Math.min(model, concurrent),
    ...(requestsPerMinute === undefined ? {} : { maxTaskQueueActivitiesPerSecond: requestsPerMinute / 60 }),
  };
}

function activityPolls({ activity }: WorkerPollers = {}): Partial<WorkerOptions> {
  return activity === undefined ? {} : { maxConcurrentActivityTaskPolls: activity };
}

function checkedRoles(roles: readonly WorkerRole[]): ReadonlySet<WorkerRole> {
  const unknown = roles.find((role) => !workerRoles.includes(role));
  if (unknown === undefined && roles.length > 0) return new Set(roles);
  const reason = unknown === undefined ? 'there is none' : `"${unknown}" is not one`;
  throw new InvalidInputError('roles', reason, `Use one or more of: ${workerRoles.join(', ')}.`);
}
