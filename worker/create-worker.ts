import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Worker, type NativeConnection } from '@temporalio/worker';
import { activityBoundary } from '../activities/boundary';
import { createActivities } from '../activities/create-activities';
import type { ModelPort } from '../activities/ports';
import { builtInTools } from '../activities/tools';
import type { Tool } from '../activities/tools/tool';
import type { Store } from '../domain/store/store';
import { defaultTaskQueue } from '../temporal-config/task-queues';

export interface BatonWorkerOptions {
  readonly connection: NativeConnection;
  readonly namespace: string;
  readonly store: Store;
  readonly model: ModelPort;
  readonly taskQueue?: string;
  /** Tools besides the built-in ones. */
  readonly tools?: readonly Tool[];
  /** Whether the namespace has Baton's search attributes; without them runs work, but can't be found by status. */
  readonly searchAttributes?: boolean;
  /** Workflow code bundled beforehand; by default what the build of Baton made. */
  readonly workflowBundlePath?: string;
  /** How long a workflow waits for the worker it was on before another one takes it. */
  readonly stickyTimeoutMs?: number;
}

/** A worker for runs and everything they do. */
export function createBatonWorker(options: BatonWorkerOptions): Promise<Worker> {
  const { connection, namespace, store, model, tools = [], searchAttributes = false, stickyTimeoutMs } = options;
  return Worker.create({
    connection,
    namespace,
    taskQueue: options.taskQueue ?? defaultTaskQueue,
    // Six events of every turn carry it, so it is short; the default is as long as their other contents together.
    buildId: 'baton',
    ...workflowCode(options.workflowBundlePath),
    activities: createActivities({ store, model, tools: [...builtInTools, ...tools], searchAttributes }),
    interceptors: { activity: [() => ({ inbound: activityBoundary })] },
    // Told to stop, activities hand over at once; one that doesn't must not keep the process for ever.
    shutdownForceTime: '10 seconds',
    // Cancellation arrives with heartbeats, so they must not be held back for long.
    maxHeartbeatThrottleInterval: '2 seconds',
    defaultHeartbeatThrottleInterval: '2 seconds',
    ...(stickyTimeoutMs === undefined ? {} : { stickyQueueScheduleToStartTimeout: stickyTimeoutMs }),
  });
}

/** All workers of a release run the same bytes, and start at once; without a build the sources are bundled now. */
function workflowCode(
  codePath = join(__dirname, '..', 'workflow-bundle.js'),
): { workflowBundle: { codePath: string } } | { workflowsPath: string } {
  return existsSync(codePath) ? { workflowBundle: { codePath } } : { workflowsPath: require.resolve('../workflows') };
}
