import { Worker, type WorkerOptions } from '@temporalio/worker';
import { activityBoundary } from '../activities/boundary';
import { createActivities } from '../activities/create-activities';
import type { ActivityDependencies } from '../activities/dependencies';
import { joinProviders } from '../activities/model/model-router';
import { builtInTools } from '../activities/tool/builtin';
import type { Tool } from '../activities/tool/define-tool';
import { InvalidInputError } from '../domain/kernel';
import { encodesPayloads } from '../encryption/data-converter';
import { joinCatalogs } from '../domain/model';
import { builtinPrompts, createRegistry, withPromptDefaults } from '../domain/prompt';
import { parseRules } from '../domain/tool/approval';
import { defaultTaskQueue } from '../temporal-config/names';
import { serverPlaceOnce } from '../temporal-config/node/server-place';
import { defaultSlots, taskQueueFor, type WorkerSlots } from '../temporal-config/task-queues';
import { countRetries } from './count-retries';
import { openMcpServers } from './mcp/mcp-servers';
import { openCommands } from './open-commands';
import { redactorFor } from './redact';
import { type BatonWorker, WorkerGroup } from './worker-group';
import type { BatonWorkerOptions } from './worker-options';
import { loadWorkflowCode, workerDataConverter } from './workflow-code';

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
 *       store: await openFileStore(settings.storeDir, { encryption: settings.encryption }),
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
  requireSameEncryption(options);
  const slots = checkedSlots({ ...defaultSlots, ...options.slots });
  const mcp = openMcpServers(options);
  const commands = await openCommands(options.commands);
  // All of them on every queue, so that nothing fails that was scheduled while a queue had other work.
  const activities = createActivities({ ...dependenciesFrom(options), mcp, commands });
  const { workflowBundle, buildId } = await loadWorkflowCode(options);
  const common = { ...commonOptions(options), activities, buildId };
  const agents = await Worker.create({
    ...common,
    ...workflowOptions(options),
    workflowBundle,
    taskQueue: taskQueueFor(taskQueue, 'model'),
    maxConcurrentActivityTaskExecutions: slots.model,
    maxConcurrentWorkflowTaskExecutions: slots.workflow,
  });
  const others = (['tool', 'control'] as const).map((kind) =>
    Worker.create({
      ...common,
      taskQueue: taskQueueFor(taskQueue, kind),
      maxConcurrentActivityTaskExecutions: slots[kind],
    }),
  );
  return new WorkerGroup([agents, ...(await Promise.all(others))], async () => {
    await Promise.all([mcp.close(), commands.close()]);
  });
}

/** What activities need, as far as the options say it. */
function dependenciesFrom(options: BatonWorkerOptions): ActivityDependencies {
  const { store, client, searchAttributes = false, workspace, modelDefaults } = options;
  const registered = createRegistry([...builtinPrompts, ...(options.prompts ?? [])]).list();
  return {
    store,
    client,
    searchAttributes,
    workspace,
    modelDefaults,
    model: joinProviders(options.model, options.providers),
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
function commonOptions({ connection, client, namespace, traces, redact }: BatonWorkerOptions) {
  const boundary = activityBoundary(redactorFor(redact));
  return {
    ...temporalOptions,
    connection,
    namespace,
    dataConverter: workerDataConverter(client),
    interceptors: {
      activity: [...(traces ? [traces.activity] : []), countRetries, () => ({ inbound: boundary })],
    },
  } as const satisfies Omit<WorkerOptions, 'taskQueue'>;
}

/** Options of the Temporal worker that runs workflows. */
function workflowOptions(options: BatonWorkerOptions) {
  const { traces, stickyTimeoutMs, cachedWorkflows } = options;
  return {
    ...(traces ? { sinks: traces.sinks({ store: options.store, redact: redactorFor(options.redact) }) } : {}),
    ...(stickyTimeoutMs === undefined ? {} : { stickyQueueScheduleToStartTimeout: stickyTimeoutMs }),
    ...(cachedWorkflows === undefined ? {} : { maxCachedWorkflows: cachedWorkflows }),
  } satisfies Partial<WorkerOptions>;
}

/** Rejects a store in which what the client encrypts would be readable. A store of a project's own need not say. */
function requireSameEncryption({ client, store }: BatonWorkerOptions): void {
  if (store.isEncrypted !== false || !encodesPayloads(client.options.loadedDataConverter.payloadCodecs)) return;
  throw new InvalidInputError(
    'store',
    'the client encrypts, but the store does not',
    'Open the store with the same keys: openFileStore(storeDir, { encryption })',
  );
}

/** Rejects numbers with which Temporal's worker would not start, or would never do some of its work. */
function checkedSlots(slots: WorkerSlots): WorkerSlots {
  for (const [kind, value] of Object.entries(slots)) {
    const least = kind === 'workflow' ? 2 : 1;
    if (Number.isSafeInteger(value) && value >= least) continue;
    throw new InvalidInputError(`slots.${kind}`, `${value} is not allowed`, `Pass an integer of at least ${least}.`);
  }
  return slots;
}

/** Rejects two tools with the same name, because a model calls tools by name. */
function distinct(tools: readonly Tool[]): readonly Tool[] {
  const names = tools.map(({ description }) => description.name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined) return tools;
  throw new InvalidInputError('tools', `two tools are named "${twice}"`, 'Rename one of them.');
}
