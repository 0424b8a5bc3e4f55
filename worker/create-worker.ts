import { Worker, type WorkerOptions } from '@temporalio/worker';
import { activityBoundary } from '../activities/boundary';
import { createActivities } from '../activities/create-activities';
import type { ActivityDependencies } from '../activities/dependencies';
import { limitModel } from '../activities/model/limited-model';
import { joinProviders } from '../activities/model/model-router';
import { builtInTools } from '../activities/tool/builtin';
import type { Tool } from '../activities/tool/define-tool';
import { InvalidInputError } from '../domain/kernel';
import { type ModelLimits, parseModelLimits } from '../domain/limit';
import { joinCatalogs } from '../domain/model';
import { builtinPrompts, createRegistry, withPromptDefaults } from '../domain/prompt';
import { parseRules } from '../domain/tool/approval';
import { defaultTaskQueue } from '../temporal-config/names';
import { serverPlaceOnce } from '../temporal-config/node/server-place';
import { countRetries } from './count-retries';
import { openMcpServers } from './mcp/mcp-servers';
import { openCommands } from './open-commands';
import { redactorFor } from './redact';
import { polledQueues } from './task-queues';
import { type BatonWorker, WorkerGroup } from './worker-group';
import type { BatonWorkerOptions } from './worker-options';
import { loadWorkflowCode, payloadConverterPath } from './workflow-code';

/**
 * Creates a worker that runs Baton's workflows and activities. Use it instead of `runWorker` to choose the connection,
 * the store or the model yourself. Call `run()` on the result to start polling.
 *
 * @throws InvalidInputError if the model is missing, two tools have the same name, an MCP server is not described
 * correctly, a role, a limit or a number of slots is not allowed, `promptDefaults` names a prompt or parameter that does not exist, or a
 * pattern of `redact` or `approve` is not a regular expression.
 *
 * @example
 * ```ts
 * import {
 *   connectClient,
 *   connectWorker,
 *   createAnthropicModel,
 *   createBatonWorker,
 *   openFileStore,
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
 *       store: await openFileStore(settings.storeDir),
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
  const { taskQueue = defaultTaskQueue } = options;
  const limits = parseModelLimits(options.limits ?? {});
  const queues = polledQueues({ ...options, taskQueue, limits });
  const mcp = openMcpServers(options);
  const commands = await openCommands(options.commands);
  // All of them on every queue, so that nothing fails that was scheduled while a queue had other work.
  const activities = createActivities({ ...dependenciesFrom(options, limits), mcp, commands });
  const { workflowBundle, buildId } = await loadWorkflowCode(options);
  const common = { ...commonOptions(options), activities, buildId };
  const ofWorkflows = { ...workflowOptions(options), workflowBundle };
  const [first, ...others] = await Promise.all(
    queues.map(({ hasWorkflows, options: polling }) =>
      Worker.create({ ...common, ...(hasWorkflows ? ofWorkflows : {}), ...polling }),
    ),
  );
  if (first === undefined) throw new TypeError('A worker polls at least one task queue.');
  return new WorkerGroup([first, ...others], async () => {
    await Promise.all([mcp.close(), commands.close()]);
  });
}

/** What activities need, as far as the options say it. */
function dependenciesFrom(options: BatonWorkerOptions, limits: ModelLimits): ActivityDependencies {
  const { store, client, searchAttributes = false, workspace, modelDefaults } = options;
  const registered = createRegistry([...builtinPrompts, ...(options.prompts ?? [])]).list();
  return {
    store,
    client,
    searchAttributes,
    workspace,
    modelDefaults,
    model: limitModel(joinProviders(options.model, options.providers), limits),
    limitedModels: Object.keys(limits),
    models: joinCatalogs(undefined, options.models),
    tools: distinct([...builtInTools, ...(options.tools ?? [])]),
    prompts: withPromptDefaults(registered, options.promptDefaults ?? {}),
    skills: loaderOf(options.skills),
    relays: loaderOf(options.relays),
    approve: parseRules(options.approve ?? []),
    place: serverPlaceOnce(client, options.namespace),
    redact: redactorFor(options.redact),
  };
}

/** Definitions that don't change are loaded like those that do. */
function loaderOf<T>(given: readonly T[] | (() => Promise<readonly T[]>) = []): () => Promise<readonly T[]> {
  return typeof given === 'function' ? given : () => Promise.resolve(given);
}

/** How Temporal's workers run. Benchmarks use the same for the workflows that they compare with. */
export const temporalOptions = {
  // On shutdown, activities stop at once. An activity that doesn't must not keep the process alive forever.
  shutdownForceTime: '10 seconds',
  // Cancellations arrive with heartbeats, so these must not be delayed for long.
  maxHeartbeatThrottleInterval: '2 seconds',
  defaultHeartbeatThrottleInterval: '2 seconds',
} as const satisfies Partial<WorkerOptions>;

/** Options of the Temporal worker of every queue. */
function commonOptions({ connection, namespace, traces, redact }: BatonWorkerOptions) {
  const boundary = activityBoundary(redactorFor(redact));
  return {
    ...temporalOptions,
    connection,
    namespace,
    dataConverter: { payloadConverterPath },
    interceptors: {
      activity: [...(traces ? [traces.activity] : []), countRetries, () => ({ inbound: boundary })],
    },
  } as const satisfies Omit<WorkerOptions, 'taskQueue'>;
}

/** Options of the Temporal worker that runs workflows. */
function workflowOptions(options: BatonWorkerOptions) {
  const { traces, stickyTimeoutMs, cachedWorkflows, workflowThreads } = options;
  return {
    ...(traces ? { sinks: traces.sinks({ store: options.store, redact: redactorFor(options.redact) }) } : {}),
    ...(stickyTimeoutMs === undefined ? {} : { stickyQueueScheduleToStartTimeout: stickyTimeoutMs }),
    ...(cachedWorkflows === undefined ? {} : { maxCachedWorkflows: cachedWorkflows }),
    ...(workflowThreads === undefined ? {} : { workflowThreadPoolSize: workflowThreads }),
  } satisfies Partial<WorkerOptions>;
}

/** Rejects two tools with the same name, because a model calls tools by name. */
function distinct(tools: readonly Tool[]): readonly Tool[] {
  const names = tools.map(({ description }) => description.name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined) return tools;
  throw new InvalidInputError('tools', `two tools are named "${twice}"`, 'Rename one of them.');
}
