import { bundleWorkflowCode, DefaultLogger, Worker, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import type { ModelPort } from '../../activities/dependencies';
import type { Tool } from '../../activities/tool/define-tool';
import { defaultSlots } from '../../temporal-config/task-queues';
import { createBatonWorker } from '../../worker/create-worker';
import { shutdownOptions, temporalOptions } from '../../worker/plugin/temporal-options';
import type { BatonWorker } from '../../worker/stoppable-worker';
import type { BatonWorkerOptions } from '../../worker/worker-options';
import { createRawActivities, type RawDependencies } from '../raw/activities';
import type { BenchEnvironment } from './environment';

/** Task queue of Baton's worker. */
export const batonQueue = 'baton';
/** Task queue of the worker for hand-written workflows. */
export const rawQueue = 'raw';

/** What a benchmark may choose about Baton's worker. */
interface BatonWorkerChoices
  extends Pick<BatonWorkerOptions, 'cachedWorkflows'>, Partial<Pick<BatonWorkerOptions, 'taskQueue'>> {
  readonly tools?: readonly Tool[];
  /** The model, with something that watches it. */
  readonly watched?: ModelPort;
}

/** Creates a worker for Baton's workflows. */
export function batonWorker(
  { connection, client, store, model }: Pick<BenchEnvironment, 'connection' | 'client' | 'store' | 'model'>,
  { tools = [], watched = model, ...more }: BatonWorkerChoices = {},
): Promise<BatonWorker> {
  return createBatonWorker({
    connection,
    client,
    namespace: 'default',
    taskQueue: batonQueue,
    store,
    model: watched,
    tools,
    searchAttributes: true,
    ...more,
  });
}

let bundle: Promise<WorkflowBundleWithSourceMap> | undefined;

/** Bundles the hand-written workflows, once. */
export function rawBundle(): Promise<WorkflowBundleWithSourceMap> {
  return (bundle ??= bundleWorkflowCode({
    workflowsPath: require.resolve('../raw/workflows'),
    logger: new DefaultLogger('ERROR'),
  }));
}

/**
 * Creates a worker for the hand-written workflows, with the same settings as Baton's worker so that only the workflows
 * differ.
 */
export async function rawWorker(
  { connection, model }: BenchEnvironment,
  more: Partial<RawDependencies> = {},
): Promise<Worker> {
  return Worker.create({
    ...temporalOptions,
    ...shutdownOptions({}),
    // As long as that of Baton's workers, because events contain it.
    workerDeploymentOptions: { version: { deploymentName: '', buildId: 'bench' }, useWorkerVersioning: false },
    connection,
    namespace: 'default',
    taskQueue: rawQueue,
    workflowBundle: await rawBundle(),
    activities: createRawActivities({ model, ...more }),
    maxConcurrentActivityTaskExecutions: defaultSlots.model,
    maxConcurrentWorkflowTaskExecutions: defaultSlots.workflow,
  });
}
