import { Worker } from '@temporalio/worker';
import { defaultTaskQueue } from '../temporal-config/names';
import { parseModelLimits } from '../domain/limit';
import { BatonPlugin } from './plugin/baton-plugin';
import { polledQueues } from './plugin/polled-queues';
import { type BatonWorker, StoppableWorker } from './stoppable-worker';
import type { BatonWorkerOptions } from './worker-options';

/**
 * Creates a worker that runs Baton's workflows and activities. Use it instead of `runWorker` to choose the connection,
 * the store or the model yourself. Call `run()` on the result to start polling.
 *
 * @throws InvalidInputError if the model is missing, two tools have the same name, an MCP server is not described
 * correctly, a number of slots is not allowed, `promptDefaults` names a prompt or parameter that does not exist, or a
 * pattern of `redact` or `approve` is not a regular expression.
 *
 * @example
 * ```ts
 * import {
 *   connectClient,
 *   connectWorker,
 *   createAnthropicModel,
 *   createBatonWorker,
 *   openStore,
 *   readSettings,
 *   resolveConnection,
 * } from 'baton-agents/worker';
 *
 * async function main(): Promise<void> {
 *   const settings = readSettings();
 *   const target = await resolveConnection({ stateDir: settings.stateDir });
 *   const { client, close } = await connectClient(target);
 *   const connection = await connectWorker(target);
 *   try {
 *     const worker = await createBatonWorker({
 *       connection,
 *       client,
 *       namespace: target.namespace,
 *       store: await openStore(settings),
 *       model: createAnthropicModel({ apiKey: process.env['ANTHROPIC_API_KEY'] }),
 *     });
 *     await worker.run();
 *   } finally {
 *     await connection.close();
 *     await close();
 *   }
 * }
 *
 * void main();
 * ```
 */
export async function createBatonWorker(options: BatonWorkerOptions): Promise<BatonWorker> {
  const { connection, namespace, taskQueue: runQueue = defaultTaskQueue, ...more } = options;
  const [first] = polledQueues({ ...more, taskQueue: runQueue, limits: parseModelLimits(more.limits ?? {}) });
  const taskQueue = first?.options.taskQueue ?? runQueue;
  return new StoppableWorker(
    await Worker.create({ connection, namespace, taskQueue, plugins: [new BatonPlugin({ ...more, runQueue })] }),
  );
}
