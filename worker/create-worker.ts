import type { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { type ActivityInterceptors, type NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { activityBoundary } from '../activities/boundary';
import { createActivities } from '../activities/create-activities';
import type { ModelPort } from '../activities/dependencies';
import type { McpLimits } from '../activities/mcp/servers';
import { joinProviders } from '../activities/model/model-router';
import { builtInTools } from '../activities/tool/builtin';
import type { Tool } from '../activities/tool/define-tool';
import type { WorkspaceOptions } from '../activities/workspace/import-limits';
import { callModelActivity } from '../domain/agent';
import { InvalidInputError } from '../domain/kernel';
import type { McpServerEntry } from '../domain/mcp';
import { joinCatalogs, type ModelCatalog, type ModelPreferences } from '../domain/model';
import {
  builtinPrompts,
  createRegistry,
  type PromptDefaults,
  type PromptDefinition,
  withPromptDefaults,
} from '../domain/prompt';
import type { RelayDefinition, RelayLoader } from '../domain/relay';
import type { SkillDefinition, SkillLoader } from '../domain/skill';
import type { Store } from '../domain/store';
import type { ApprovalRule } from '../domain/tool';
import { parseRules } from '../domain/tool/approval';
import { counters, defaultTaskQueue } from '../temporal-config/names';
import { serverPlaceOnce } from '../temporal-config/node/server-place';
import { defaultSlots, taskQueueFor, type WorkerSlots } from '../temporal-config/task-queues';
import { openMcpServers } from './mcp-servers';
import { type CommandOptions, openCommands } from './open-commands';
import { redactorFor, type RedactSettings } from './redact';
import { sharedModules } from './shared-modules';
import type { Traces } from './telemetry';
import { type BatonWorker, WorkerGroup } from './worker-group';

/** Options of `createBatonWorker`. All workers of a task queue must have the same store, tools, prompts and slices. */
export interface BatonWorkerOptions {
  /** Connection over which the worker polls, for example from `connectWorker`. The caller closes it. */
  readonly connection: NativeConnection;
  /**
   * Client with a separate connection, for example from `connectClient`. Activities use it to write to shared sessions
   * and to wait for delegations that an earlier execution started. The caller closes it.
   */
  readonly client: Client;
  /** Temporal namespace of the runs. */
  readonly namespace: string;
  /** Store for prompts, transcripts, files and results, for example from `openFileStore`. */
  readonly store: Store;
  /**
   * Provider of models, for example from `createAnthropicModel`. It serves every model that no prefix in `providers` names.
   * Default: only models of `providers` can be used.
   */
  readonly model?: ModelPort;
  /**
   * Providers by the prefix of their models: `openai` serves `openai:gpt-5`, which it receives as `gpt-5`. Default: none.
   */
  readonly providers?: Readonly<Record<string, ModelPort>>;
  /**
   * Task queue of the runs. Default: `baton`. The worker also polls the queues `<taskQueue>-tools` and
   * `<taskQueue>-control`.
   */
  readonly taskQueue?: string;
  /**
   * How many model calls, tools, other activities and workflow tasks run at the same time. Default: 100, 100, 100 and
   * 40. What is omitted keeps its default.
   */
  readonly slots?: Partial<WorkerSlots>;
  /** Tools in addition to the built-in ones. Default: none. A name that is used twice is an error. */
  readonly tools?: readonly Tool[];
  /**
   * MCP servers by name, as in the file `.mcp.json`. Default: none. Agents may use them only if their run, prompt or skill
   * grants it. They are started when they are first used, and stopped when the worker ends.
   */
  readonly mcpServers?: Readonly<Record<string, McpServerEntry>>;
  /** Limits of these servers. What is omitted keeps its default. */
  readonly mcpLimits?: McpLimits;
  /**
   * Prompts that agents may dispatch, in addition to the built-in ones. Default: none. A run pins them when it starts.
   */
  readonly prompts?: readonly PromptDefinition[];
  /**
   * Values for parameters of these prompts, by prompt (`ns/key`) and name of the parameter. Default: none. A prompt with a
   * required parameter can be dispatched only if the parameter has a value here, in the run's input or from its parent.
   */
  readonly promptDefaults?: PromptDefaults;
  /**
   * Skills that agents may dispatch. Default: none. A function is called whenever a run starts, so that new skill files
   * are found without a restart. A run pins the skills it starts with.
   */
  readonly skills?: readonly SkillDefinition[] | SkillLoader;
  /** Relays that a client can start by name. Default: none. A function is called whenever such a relay starts. */
  readonly relays?: readonly RelayDefinition[] | RelayLoader;
  /**
   * Model of runs that don't specify all of its settings, such as those that a client in another language starts with
   * nothing but a goal. Default: Baton's defaults.
   */
  readonly modelDefaults?: ModelPreferences;
  /**
   * Context windows and prices of models that Baton does not know, by name. Default: none. A run pins them when it starts;
   * what the client that started it knows takes precedence.
   */
  readonly models?: ModelCatalog;
  /**
   * Whether the namespace has Baton's search attributes. Default: false. Runs work without them but can't be found by
   * status.
   */
  readonly searchAttributes?: boolean;
  /** Path of a prebuilt workflow bundle. Default: the bundle that is part of Baton's build. */
  readonly workflowBundlePath?: string;
  /**
   * Path of a workflow entry with a project's own slices, which exports everything that `createWorkflows` returns.
   * Default: Baton's own workflows. It is bundled when the worker starts, and takes precedence over
   * `workflowBundlePath`.
   */
  readonly workflowsPath?: string;
  /**
   * Secrets to remove from failures, in addition to what looks like one: bearer tokens, keys of well-known providers,
   * JSON Web Tokens, private keys, passwords in addresses. Default: none.
   */
  readonly redact?: RedactSettings;
  /**
   * Calls that an operator has to approve in every run that this worker opens. Default: none. Runs, prompts and skills
   * can add rules, but not remove these.
   *
   * @example `[{ tool: 'run_command', when: '^git push', reason: 'It publishes.' }]`
   */
  readonly approve?: readonly ApprovalRule[];
  /** What may be mounted as a workspace: its maximum size, and files that are otherwise left out. */
  readonly workspace?: WorkspaceOptions;
  /**
   * Commands that agents run, if a run or a skill grants them: the sandbox, the folder for copies of workspaces, and
   * limits. Default: in a sandbox of bubblewrap if the machine has it, else not at all.
   */
  readonly commands?: CommandOptions;
  /** Milliseconds that a workflow waits for its previous worker before another worker takes it. Default: the SDK's. */
  readonly stickyTimeoutMs?: number;
  /**
   * Traces this worker's work, for example from `traceTo`. Default: off. A prebuilt bundle must contain
   * `traces.workflowModules`.
   */
  readonly traces?: Traces;
}

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
  const { searchAttributes = false, store, client, workspace, taskQueue = defaultTaskQueue } = options;
  const slots = checkedSlots({ ...defaultSlots, ...options.slots });
  const tools = distinct([...builtInTools, ...(options.tools ?? [])]);
  const registered = createRegistry([...builtinPrompts, ...(options.prompts ?? [])]).list();
  const prompts = withPromptDefaults(registered, options.promptDefaults ?? {});
  const mcp = openMcpServers(options);
  const place = serverPlaceOnce(client, options.namespace);
  const commands = await openCommands(options.commands);
  // All of them on every queue, so that nothing fails that was scheduled while a queue had other work.
  const activities = createActivities({
    store,
    model: joinProviders(options.model, options.providers),
    tools,
    mcp,
    prompts,
    skills: loaderOf(options.skills),
    relays: loaderOf(options.relays),
    client,
    searchAttributes,
    workspace,
    commands,
    place,
    modelDefaults: options.modelDefaults,
    models: joinCatalogs(undefined, options.models),
    approve: parseRules(options.approve ?? []),
  });
  const common = { ...commonOptions(options), activities };
  const agents = await Worker.create({
    ...common,
    ...workflowOptions(options),
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

/** Definitions that don't change are loaded like those that do. */
function loaderOf<T>(given: readonly T[] | (() => Promise<readonly T[]>) = []): () => Promise<readonly T[]> {
  return typeof given === 'function' ? given : () => Promise.resolve(given);
}

/** Options of the Temporal worker of every queue. */
function commonOptions({ connection, namespace, traces, redact }: BatonWorkerOptions) {
  const boundary = activityBoundary(redactorFor(redact));
  return {
    connection,
    namespace,
    // Short, because six events of every turn contain it. The default is as long as the rest of those events together.
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- versioning is off; this only names the build
    buildId: 'baton',
    dataConverter: { payloadConverterPath: require.resolve('../workflows/payload-converter') },
    interceptors: {
      activity: [...(traces ? [traces.activity] : []), countRetries, () => ({ inbound: boundary })],
    },
    // On shutdown, activities stop at once. An activity that doesn't must not keep the process alive forever.
    shutdownForceTime: '10 seconds',
    // Cancellations arrive with heartbeats, so these must not be delayed for long.
    maxHeartbeatThrottleInterval: '2 seconds',
    defaultHeartbeatThrottleInterval: '2 seconds',
  } as const satisfies Omit<WorkerOptions, 'taskQueue'>;
}

/** Options of the Temporal worker that runs workflows. */
function workflowOptions(options: BatonWorkerOptions) {
  const { traces, stickyTimeoutMs } = options;
  const code = workflowCode(options);
  const { interceptors } = commonOptions(options);
  return {
    ...code,
    ...(traces && 'workflowsPath' in code
      ? { interceptors: { ...interceptors, workflowModules: [...traces.workflowModules] } }
      : {}),
    ...(traces ? { sinks: traces.sinks({ store: options.store, redact: redactorFor(options.redact) }) } : {}),
    ...(stickyTimeoutMs === undefined ? {} : { stickyQueueScheduleToStartTimeout: stickyTimeoutMs }),
  } satisfies Partial<WorkerOptions>;
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

type WorkflowCode = Pick<WorkerOptions, 'workflowBundle' | 'workflowsPath' | 'bundlerOptions'>;

/**
 * Uses the prebuilt bundle, which starts fast and is the same in all workers of a release, or else bundles the sources.
 */
function workflowCode({
  traces,
  workflowsPath,
  workflowBundlePath: codePath = join(__dirname, '..', `workflow-bundle${traces ? '-traced' : ''}.js`),
}: BatonWorkerOptions): WorkflowCode {
  if (workflowsPath === undefined) {
    return existsSync(codePath) ? { workflowBundle: { codePath } } : { workflowsPath: require.resolve('../workflows') };
  }
  // Only compiled modules have exports that can be shared between executions.
  if (!__filename.endsWith('.js')) return { workflowsPath };
  return { workflowsPath, bundlerOptions: sharedModules([require.resolve('../workflows/extend')]) };
}

/** Counts an attempt at a model call, unless it is the first. */
function countRetry({ info, metricMeter }: Pick<Context, 'info' | 'metricMeter'>): void {
  if (info.activityType !== callModelActivity.name || info.attempt === 1) return;
  metricMeter.createCounter(counters.retries, 'attempts', 'Attempts at model calls after the first').add(1);
}

/** Activity interceptor that counts repeated attempts at model calls. */
function countRetries(context: Context): ActivityInterceptors {
  return {
    inbound: {
      execute(input, next) {
        countRetry(context);
        return next(input);
      },
    },
  };
}
