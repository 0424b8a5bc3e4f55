import type { WorkerOptions } from '@temporalio/worker';
import { InvalidInputError } from '../../domain/kernel';
import type { BatonPluginOptions } from '../worker-options';
import { defaultSlots, type WorkerSlots } from '../../temporal-config/task-queues';

/** How Temporal's workers run. Benchmarks use the same for the workflows that they compare with. */
export const temporalOptions = {
  // Cancellations arrive with heartbeats, so these must not be delayed for long.
  maxHeartbeatThrottleInterval: '2 seconds',
  defaultHeartbeatThrottleInterval: '2 seconds',
} as const satisfies Partial<WorkerOptions>;

/** Time that an activity may take to stop when it is aborted. One that doesn't must not keep the process alive forever. */
const abortMs = 10_000;

/** How long the worker waits for work in progress when it is stopped. */
export function shutdownOptions({
  shutdownGraceMs = 0,
}: Pick<BatonPluginOptions, 'shutdownGraceMs'>): Pick<WorkerOptions, 'shutdownGraceTime' | 'shutdownForceTime'> {
  return { shutdownGraceTime: shutdownGraceMs, shutdownForceTime: shutdownGraceMs + abortMs };
}

/** Options of the main worker that the others have as well, so that all of them work alike. */
export function companionOptions(main: WorkerOptions): Omit<WorkerOptions, 'taskQueue'> {
  const names = [
    'connection',
    'namespace',
    'identity',
    'dataConverter',
    'workerDeploymentOptions',
    'shutdownGraceTime',
    'shutdownForceTime',
    'maxHeartbeatThrottleInterval',
    'defaultHeartbeatThrottleInterval',
  ] as const satisfies readonly (keyof WorkerOptions)[];
  return Object.fromEntries(names.filter((name) => main[name] !== undefined).map((name) => [name, main[name]]));
}

/** How the main worker polls its task queue, unless its creator has said so. */
export function mainPolling(given: WorkerOptions, polling: Partial<WorkerOptions>): Partial<WorkerOptions> {
  const {
    maxConcurrentActivityTaskExecutions: _activities,
    maxConcurrentWorkflowTaskExecutions: _tasks,
    ...others
  } = polling;
  const own = Object.entries(given.tuner === undefined ? polling : others);
  return Object.fromEntries(own.filter(([name]) => given[name as keyof WorkerOptions] === undefined));
}

/** Adds the defaults. Rejects numbers with which Temporal's worker would not start, or would never do some of its work. */
export function checkedSlots(given: Partial<WorkerSlots> = {}): WorkerSlots {
  const slots = { ...defaultSlots, ...given };
  for (const [kind, value] of Object.entries(slots)) {
    const least = kind === 'workflow' ? 2 : 1;
    if (Number.isSafeInteger(value) && value >= least) continue;
    throw new InvalidInputError(`slots.${kind}`, `${value} is not allowed`, `Pass an integer of at least ${least}.`);
  }
  return slots;
}
