import { Worker, type WorkerOptions } from '@temporalio/worker';
import { activities } from './activities.js';

/** Creates the worker that this project had before. It knows nothing of Baton. */
export function createOrdersWorker(
  options: Required<Pick<WorkerOptions, 'connection' | 'namespace' | 'taskQueue'>>,
): Promise<Worker> {
  return Worker.create({ ...options, workflowsPath: require.resolve('./workflows.js'), activities });
}
