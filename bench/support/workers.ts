import { Worker } from '@temporalio/worker';
import type { Tool } from '../../activities/tool/define-tool';
import { createBatonWorker } from '../../worker/create-worker';
import type { BatonWorker } from '../../worker/worker-group';
import type { BatonWorkerOptions } from '../../worker/worker-options';
import { createRawActivities, type RawDependencies } from '../raw/activities';
import type { BenchEnvironment } from './environment';

/** Task queue of Baton's worker. */
export const batonQueue = 'baton';
/** Task queue of the worker for hand-written workflows. */
export const rawQueue = 'raw';

/** Creates a worker for Baton's workflows. */
export function batonWorker(
  { connection, client, store, model }: BenchEnvironment,
  tools: readonly Tool[] = [],
  more: Pick<BatonWorkerOptions, 'cachedWorkflows'> = {},
): Promise<BatonWorker> {
  return createBatonWorker({
    connection,
    client,
    namespace: 'default',
    taskQueue: batonQueue,
    store,
    model,
    tools,
    searchAttributes: true,
    ...more,
  });
}

/**
 * Creates a worker for the hand-written workflows, with the same settings as Baton's worker so that only the workflows
 * differ.
 */
export function rawWorker(
  { connection, model }: BenchEnvironment,
  more: Omit<RawDependencies, 'model'> = {},
): Promise<Worker> {
  return Worker.create({
    connection,
    namespace: 'default',
    taskQueue: rawQueue,
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- as short as Baton's, which every event carries
    buildId: 'raw',
    workflowsPath: require.resolve('../raw/workflows'),
    activities: createRawActivities({ model, ...more }),
    shutdownForceTime: '10 seconds',
    maxHeartbeatThrottleInterval: '2 seconds',
    defaultHeartbeatThrottleInterval: '2 seconds',
  });
}
