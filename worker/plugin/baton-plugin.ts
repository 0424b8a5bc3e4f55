import {
  type BundleOptions,
  type BundlerPlugin,
  type ReplayWorkerOptions,
  Worker,
  type WorkerOptions,
  type WorkerPlugin,
} from '@temporalio/worker';
import { delegationWorkflowContract } from '../../domain/delegation';
import { InvalidInputError } from '../../domain/kernel';
import { type ModelLimits, parseModelLimits } from '../../domain/limit';
import { redactorFor } from '../redact';
import type { BatonPluginOptions } from '../worker-options';
import { loadWorkflowCode } from '../workflow-code';
import { Companions } from './companions';
import { encryptionOf, requireSameEncryption, workerDataConverter } from './data-conversion';
import { codeOf, deploymentOfTeam, deploymentOptions } from './deployment';
import { batonInterceptors } from './interceptors';
import { joinWorkflows } from './join-workflows';
import { openActivities, type OpenedActivities } from './open-activities';
import { type PolledQueue, polledQueues } from './polled-queues';
import { companionOptions, mainPolling, shutdownOptions, temporalOptions } from './temporal-options';

/**
 * Plugin of Temporal's worker: Baton's workflows and activities, beside those that the worker has already. Runs use the
 * worker's task queue; two more workers for the queues `<taskQueue>-tools` and `<taskQueue>-control` run as long as it does.
 * A plugin belongs to one worker. Without workflows of its own, a worker gets Baton's prebuilt bundle; otherwise both are
 * bundled together. With a bundle that you build yourself, pass the plugin to `bundleWorkflowCode` as well.
 *
 * Temporal calls its plugin interface experimental, so this class may change with it.
 *
 * @throws InvalidInputError, from `Worker.create`, if the model is missing, two tools or two activities have the same name,
 * an MCP server is not described correctly, a number of slots is not allowed, `deployment` has no build id for a worker with
 * `workflowsPath`, `promptDefaults` names a prompt or parameter
 * that does not exist, or a pattern of `redact` or `approve` is not a regular expression.
 *
 * @example
 * ```ts
 * import { NativeConnection, Worker } from '@temporalio/worker';
 * import { BatonPlugin, connectClient, createAnthropicModel, openStore, readSettings, resolveConnection } from 'baton-agents/worker';
 *
 * async function main(): Promise<void> {
 *   const settings = readSettings();
 *   const target = await resolveConnection(settings);
 *   const { client } = await connectClient(target);
 *   const worker = await Worker.create({
 *     connection: await NativeConnection.connect(target.connectionOptions),
 *     namespace: target.namespace,
 *     taskQueue: 'orders',
 *     workflowsPath: require.resolve('./workflows'),
 *     plugins: [
 *       new BatonPlugin({
 *         client,
 *         store: await openStore(settings),
 *         model: createAnthropicModel({ apiKey: process.env['ANTHROPIC_API_KEY'] }),
 *       }),
 *     ],
 *   });
 *   await worker.run();
 * }
 *
 * void main();
 * ```
 */
export class BatonPlugin implements WorkerPlugin, BundlerPlugin {
  readonly name = 'baton';
  private opened: OpenedActivities | undefined;
  /** Options of the workers of further task queues. */
  private companions: readonly WorkerOptions[] = [];

  constructor(private readonly options: BatonPluginOptions) {}

  async configureWorker(given: WorkerOptions): Promise<WorkerOptions> {
    // A plugin of the connection is applied to every worker, also to those that this plugin creates.
    if (this.companions.some(({ taskQueue }) => taskQueue === given.taskQueue)) return given;
    if (this.opened !== undefined)
      throw new InvalidInputError('plugins', 'a BatonPlugin belongs to one worker', 'Create one for each worker.');
    requireSameEncryption(this.options);
    const limits = parseModelLimits(this.options.limits ?? {});
    const version = await deploymentOfTeam(this.options.deployment, given);
    const { main: own, others } = queuesFor(given, { ...this.options, limits });
    this.opened = await openActivities({ ...this.options, limits }, given.namespace ?? 'default');
    const { activities } = this.opened;
    const defaults = { ...temporalOptions, ...shutdownOptions(this.options), ...version };
    const complete = await this.withWorkflowCode({ ...defaults, ...given });
    const main = own.hasWorkflows ? complete : withoutCode(complete, given);
    const interceptors = batonInterceptors(this.options, activities);
    this.companions = others.map(({ options: polling }) => ({
      ...companionOptions(main),
      ...polling,
      // All of them on every queue, so that nothing fails that was scheduled while a queue had other work.
      activities,
      interceptors: { activity: interceptors },
    }));
    return {
      ...main,
      ...mainPolling(given, own.options),
      ...workflowOptions(this.options, given),
      activities: joinActivities(given.activities, activities),
      interceptors: { ...given.interceptors, activity: [...(given.interceptors?.activity ?? []), ...interceptors] },
    };
  }

  configureReplayWorker(given: ReplayWorkerOptions): Promise<ReplayWorkerOptions> {
    return this.withWorkflowCode(given);
  }

  configureBundler(given: BundleOptions): BundleOptions {
    const { traces, workflowsPath = require.resolve('../../workflows') } = this.options;
    const modules = [...(given.workflowInterceptorModules ?? []), ...(traces?.workflowModules ?? [])];
    // Built into the code here, because a bundle of a team's own is used as it is.
    const { failureConverterPath } = encryptionOf(this.options.client);
    const encoding = failureConverterPath === undefined ? {} : { failureConverterPath };
    return joinWorkflows({ ...encoding, ...given, workflowInterceptorModules: modules }, workflowsPath);
  }

  async runWorker(worker: Worker, next: (worker: Worker) => Promise<void>): Promise<void> {
    const create = (): Promise<Worker[]> =>
      Promise.all(this.companions.map((options) => Worker.create({ ...options })));
    try {
      await new Companions(worker).run(() => next(worker), create);
    } finally {
      await this.opened?.close();
    }
  }

  /** Adds Baton's own bundle, unless the worker has workflows: these are bundled with Baton's, or are already. */
  private async withWorkflowCode<Given extends WorkerOptions | ReplayWorkerOptions>(given: Given): Promise<Given> {
    if (given.workflowBundle !== undefined) await requireBaton(given.workflowBundle);
    const { client } = this.options;
    if (given.workflowBundle !== undefined || given.workflowsPath !== undefined)
      return { ...given, dataConverter: { ...encryptionOf(client), ...given.dataConverter } };
    const { workflowBundle, buildId } = await loadWorkflowCode(this.options);
    return {
      ...given,
      workflowBundle,
      dataConverter: { ...workerDataConverter(client), ...given.dataConverter },
      workerDeploymentOptions: given.workerDeploymentOptions ?? deploymentOptions(this.options.deployment, buildId),
    };
  }
}

/** Rejects a bundle without Baton's workflows, which would otherwise show only when the task of a run fails. */
async function requireBaton(bundle: NonNullable<WorkerOptions['workflowBundle']>): Promise<void> {
  if ((await codeOf(bundle)).includes(delegationWorkflowContract.name)) return;
  const remedy = 'Create it with bundleWorkflowCode({ workflowsPath, plugins: [plugin] }), with the same BatonPlugin.';
  throw new InvalidInputError('workflowBundle', "it does not contain Baton's workflows", remedy);
}

/** The queue that the worker itself polls, and those that need a worker of their own. */
function queuesFor(
  { taskQueue }: WorkerOptions,
  options: BatonPluginOptions & { readonly limits: ModelLimits },
): { readonly main: PolledQueue; readonly others: readonly PolledQueue[] } {
  const queues = polledQueues({ ...options, taskQueue: options.runQueue ?? taskQueue });
  const main = queues.find((queue) => queue.options.taskQueue === taskQueue);
  if (main !== undefined) return { main, others: queues.filter((queue) => queue !== main) };
  const remedy = `Let it poll one of: ${queues.map((queue) => queue.options.taskQueue).join(', ')}.`;
  throw new InvalidInputError('roles', `a worker with these roles does not poll "${taskQueue}"`, remedy);
}

/** Removes Baton's workflows from a worker that only runs activities. */
function withoutCode(complete: WorkerOptions, given: WorkerOptions): WorkerOptions {
  const { workflowBundle: _baton, ...others } = complete;
  return given.workflowBundle === undefined ? others : complete;
}

/** Options of the worker that runs workflows. */
function workflowOptions(options: BatonPluginOptions, { sinks }: WorkerOptions): Partial<WorkerOptions> {
  const { traces, stickyTimeoutMs, cachedWorkflows, workflowThreads, store, redact } = options;
  return {
    ...(traces ? { sinks: { ...sinks, ...traces.sinks({ store, redact: redactorFor(redact) }) } } : {}),
    ...(stickyTimeoutMs === undefined ? {} : { stickyQueueScheduleToStartTimeout: stickyTimeoutMs }),
    ...(cachedWorkflows === undefined ? {} : { maxCachedWorkflows: cachedWorkflows }),
    ...(workflowThreads === undefined ? {} : { workflowThreadPoolSize: workflowThreads }),
  };
}

/** Adds Baton's activities to those of a team. Rejects a name that both have: one of the two would never run. */
function joinActivities(theirs: object = {}, own: object): object {
  const twice = Object.keys(own).find((name) => Object.hasOwn(theirs, name));
  if (twice !== undefined)
    throw new InvalidInputError('activities', `both your worker and Baton have "${twice}"`, 'Rename yours.');
  return { ...theirs, ...own };
}
