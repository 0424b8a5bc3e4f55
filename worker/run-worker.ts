import type { Client } from '@temporalio/client';
import { type DefaultLogger, Runtime } from '@temporalio/worker';
import type { ModelPort } from '../activities/dependencies';
import { createAnthropicModel } from '../activities/model/anthropic-model';
import { secretVariables } from '../activities/model/providers/provider-table';
import { standardProviders } from '../activities/model/providers/standard-providers';
import { readModelsFile } from '../definitions/model/read-models';
import { InvalidInputError, type Redact, visibleText } from '../domain/kernel';
import type { ModelLimits } from '../domain/limit';
import { defaultProvider, type ModelCatalog } from '../domain/model';
import { formatDiagnostic } from '../domain/skill';
import { secretsOfAddress } from '../store/address';
import { connectClient } from '../temporal-config/node/connect-client';
import { connectWorker } from '../temporal-config/node/connect-worker';
import { resolveConnection, type ResolvedConnection } from '../temporal-config/node/connection';
import { registerSearchAttributes } from '../temporal-config/node/search-attributes-setup';
import type { Settings } from '../temporal-config/node/settings';
import { InvalidSettingError } from '../temporal-config/node/setup-error';
import { metricsAt } from '../temporal-config/node/telemetry-settings';
import type { WorkerSlots } from '../temporal-config/task-queues';
import { approvalRulesFrom } from './approval-file';
import { createBatonWorker } from './create-worker';
import { FailingTaskWarnings } from './failing-tasks';
import { limitLines, limitsFrom } from './model-limits';
import { findParentProcess } from './parent-process';
import { secretsOfEntries } from './mcp/mcp-servers';
import { plainLogger } from './plain-logger';
import { redactorFor, type RedactSettings, secretsOfCollector } from './redact';
import { serveHealth } from './health/health-server';
import type { BatonWorker } from './stoppable-worker';
import type { TraceOptions, Traces } from './trace/telemetry';
import type { BatonWorkerOptions } from './worker-options';
import { openWorkerStore } from './worker-store';

/** Options of `runWorker`. */
export interface WorkerEnvironment {
  /** Settings of the process, usually from `readSettings`. */
  readonly settings: Settings;
  /**
   * Anthropic API key. If undefined, the worker starts, but runs with Claude models fail. Other providers read their keys
   * from the environment.
   */
  readonly apiKey: string | undefined;
  /**
   * A project's own tools, prompts, skills, workflow entry, secrets to remove, workspaces, approval rules, and providers of models in
   * addition to those that Baton knows. Default: none.
   */
  readonly extensions?: Pick<
    BatonWorkerOptions,
    | 'tools'
    | 'mcpServers'
    | 'mcpLimits'
    | 'prompts'
    | 'promptDefaults'
    | 'models'
    | 'skills'
    | 'relays'
    | 'workflowsPath'
    | 'redact'
    | 'workspace'
    | 'providers'
    | 'limits'
    | 'commands'
    | 'approve'
  >;
  /**
   * Receives log entries and messages for the person who started the worker: without a line break at the end, without
   * secrets, and with control characters made visible. A defect's stack has several lines.
   */
  readonly log: (line: string) => void;
  /** Called once, when the worker starts polling. */
  readonly onReady?: () => void;
}

/**
 * Runs a worker until the process gets SIGTERM or SIGINT. It then stops polling, and other workers continue what is in
 * progress. Connects as the command line does, opens the store, and adds the search attributes if it may.
 *
 * @example
 * ```ts
 * import { readSettings, runWorker } from 'baton-agents/worker';
 *
 * void runWorker({
 *   settings: readSettings(),
 *   apiKey: process.env['ANTHROPIC_API_KEY'],
 *   extensions: { workflowsPath: require.resolve('./workflows') },
 *   log: console.error,
 * });
 * ```
 */
export async function runWorker({ settings, apiKey, extensions, onReady, ...given }: WorkerEnvironment): Promise<void> {
  const parent = findParentProcess();
  const resolved = await resolveConnection({ stateDir: settings.stateDir });
  const redact = secretsOf(settings, apiKey, resolved, extensions);
  const log = safeLog(given.log, redact);
  const failingTasks = new FailingTaskWarnings();
  const logger = plainLogger(settings.logLevel, failingTasks, log, resolved.encryption !== undefined);
  await installRuntime(settings, logger);
  const definitions = await definitionsFrom(settings, extensions);
  const { client, close } = await connectClient(resolved);
  const store = await openWorkerStore({ client, close }, settings);
  const connection = await connectWorker(resolved);
  const traces = await tracesFrom(settings, log);
  let health: { close(): void } | undefined;
  let worker: BatonWorker | undefined;
  try {
    const { namespace } = resolved;
    const parts = { connection, client, namespace, store, ...(traces === undefined ? {} : { traces }) };
    // Before the worker exists: one that never ran would keep the connection from being closed.
    const state = (): string => worker?.getState() ?? 'STARTING';
    health = await serveHealth(settings.healthAddress, { client, store, state });
    worker = await createBatonWorker({
      ...parts,
      ...optionsFrom(settings),
      searchAttributes: await prepareNamespace(client, namespace, log),
      ...extensions,
      ...definitions,
      providers: { ...knownProviders(settings, apiKey), ...extensions?.providers },
      redact,
    });
    announce({ ...settings, ...definitions }, apiKey, resolved, log);
    const running = worker.run();
    const stopWatching = failingTasks.watch({ client, taskQueue: settings.taskQueue, logger });
    onReady?.();
    parent?.reportReady();
    await running.finally(stopWatching);
  } finally {
    for (const part of [health, connection, { close }, traces, store]) await part?.close?.();
    parent?.disconnect();
  }
}

/** What files of the worker describe, together with what the program that starts it does. */
async function definitionsFrom(
  { modelsFile, approveFile, modelLimits }: Settings,
  { models, approve = [], limits }: NonNullable<WorkerEnvironment['extensions']> = {},
): Promise<Pick<BatonWorkerOptions, 'models' | 'approve'> & { readonly limits: ModelLimits }> {
  return {
    limits: { ...(await limitsFrom(modelLimits)), ...limits },
    models: { ...(modelsFile === undefined ? {} : await modelsFrom(modelsFile)), ...models },
    approve: [...(await approvalRulesFrom(approveFile)), ...approve],
  };
}

/** Reads the models file. An invalid one keeps the worker from starting: runs would be refused, or cost nothing. */
async function modelsFrom(path: string): Promise<ModelCatalog> {
  const read = await readModelsFile(path);
  if ('models' in read) return read.models;
  const errors = read.errors.map(formatDiagnostic).join('; ');
  throw new InvalidSettingError('BATON_MODELS', errors, 'Correct the file; docs/models.md describes its format.');
}

/** The providers that a worker knows by name. Packages of the project are found from the folder where it runs. */
function knownProviders({ modelBaseUrl }: Settings, apiKey: string | undefined): Readonly<Record<string, ModelPort>> {
  return {
    [defaultProvider]: createAnthropicModel({ apiKey, baseUrl: modelBaseUrl }),
    ...standardProviders({ env: process.env, folder: process.cwd() }),
  };
}

type OptionsFromSettings = Pick<
  BatonWorkerOptions,
  | 'taskQueue'
  | 'workspace'
  | 'commands'
  | 'slots'
  | 'roles'
  | 'pollers'
  | 'workflowThreads'
  | 'stickyTimeoutMs'
  | 'cachedWorkflows'
  | 'modelDefaults'
  | 'deployment'
  | 'shutdownGraceMs'
>;

function optionsFrom(settings: Settings): OptionsFromSettings {
  const { taskQueue, workspace, commands, stateDir, store, slots, pollers } = settings;
  const { stickyTimeoutMs, cachedWorkflows, roles, workflowThreads, model: name, maxTokens, window } = settings;
  const { deployment, buildId, shutdownGraceSeconds } = settings;
  return {
    taskQueue,
    workspace,
    commands: { ...commands, hidden: [stateDir, ...(store.folder === undefined ? [] : [store.folder]), process.cwd()] },
    slots,
    pollers,
    modelDefaults: { name, maxTokens, window },
    ...(roles === undefined ? {} : { roles }),
    ...(workflowThreads === undefined ? {} : { workflowThreads }),
    shutdownGraceMs: shutdownGraceSeconds * 1_000,
    ...(deployment === undefined ? {} : { deployment: { name: deployment, buildId } }),
    ...(stickyTimeoutMs === undefined ? {} : { stickyTimeoutMs }),
    ...(cachedWorkflows === undefined ? {} : { cachedWorkflows }),
  };
}

function announce(
  { taskQueue, roles, slots, store, limits }: Settings & { readonly limits: ModelLimits },
  apiKey: string | undefined,
  { describe: server }: ResolvedConnection,
  log: (line: string) => void,
): void {
  if (apiKey === undefined)
    log('ANTHROPIC_API_KEY is not set. Runs with Claude models fail until this worker is restarted with a key.');
  const only = roles === undefined ? '' : `only ${roles.join(', ')}; `;
  log(`Worker on task queue "${taskQueue}" (${only}${describeSlots(slots)}); ${server}; store ${store.shown}`);
  limitLines(limits).forEach(log);
}

/** Describes how much the worker does at the same time. */
function describeSlots({ model, tool, control, workflow }: WorkerSlots): string {
  return `slots: ${model} model calls, ${tool} tools, ${control} control, ${workflow} workflow tasks`;
}

/** Everything that this worker removes from failures and logs: its own credentials, and what is configured. */
function secretsOf(
  settings: Settings,
  apiKey: string | undefined,
  { connectionOptions }: ResolvedConnection,
  { redact: more = {}, mcpServers = {} }: NonNullable<WorkerEnvironment['extensions']> = {},
): RedactSettings {
  const { apiKey: serverKey, metadata = {} } = connectionOptions;
  const keys = secretVariables.map((name) => process.env[name]);
  const own = [apiKey, serverKey, ...keys, ...Object.values(metadata)].filter((value) => typeof value === 'string');
  return {
    secrets: [
      ...own,
      ...secretsOfAddress(settings.store.address),
      ...secretsOfCollector(process.env),
      ...secretsOfEntries(mcpServers),
      ...(more.secrets ?? []),
    ],
    patterns: [...(settings.redact === undefined ? [] : [settings.redact]), ...(more.patterns ?? [])],
  };
}

/** Lines quote models, files and signals. A program may print them to a terminal, which would obey control characters. */
function safeLog(log: (line: string) => void, settings: RedactSettings): (line: string) => void {
  const redact = readableRedactor(settings);
  return (line) => {
    log(visibleText(redact(line)));
  };
}

/** Reports a pattern that is not valid as a wrong setting. */
function readableRedactor(settings: RedactSettings): Redact {
  try {
    return redactorFor(settings);
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error;
    throw new InvalidSettingError('BATON_REDACT', error.reason, error.remedy);
  }
}

/** Sets up logging and metrics of the SDK. Must happen before the first connection. */
async function installRuntime(settings: Settings, logger: DefaultLogger): Promise<void> {
  const metrics = await metricsAt(settings.metricsAddress);
  Runtime.install({
    logger,
    telemetryOptions: {
      // Forwarded, so that secrets are removed from the messages of native code too. Its warnings about workflow tasks are
      // logged in other words, and everything else below ERROR is left out.
      logging: { forward: {}, filter: 'ERROR,temporalio_sdk_core::worker::workflow=WARN' },
      ...metrics,
    },
  });
}

/** Registers the search attributes. If that fails, everything still works except searching by them. */
async function prepareNamespace(client: Client, namespace: string, log: (line: string) => void): Promise<boolean> {
  const report = await registerSearchAttributes(client.connection, namespace);
  if (report.missing.length === 0 && report.conflicts.length === 0) return true;
  log(
    `Runs can't be searched by Baton's attributes${report.reason === undefined ? '' : ` (${report.reason})`}. To add them:`,
  );
  report.commands.forEach((command) => {
    log(`  ${command}`);
  });
  return false;
}

async function tracesFrom(
  { tracesUrl, traceContents: contents }: Settings,
  log: (line: string) => void,
): Promise<Traces | undefined> {
  return tracesUrl === undefined ? undefined : traceTo(tracesUrl, log, { contents });
}

/**
 * Sends traces by OTLP over HTTP to a collector at `url`. Pass the result as the worker option `traces`, and call its
 * `close` after the worker has stopped. `log` is called when sending starts to fail, and when it works again.
 * OpenTelemetry is loaded only here, so that a worker without traces does not wait for it. Spans have no contents unless
 * `options` say so.
 */
export async function traceTo(url: string, log: (line: string) => void, options: TraceOptions = {}): Promise<Traces> {
  const telemetry = await import('./trace/telemetry.js');
  return telemetry.openOtlpTraces(url, log, options);
}
