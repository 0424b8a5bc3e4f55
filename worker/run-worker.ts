import type { Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { DefaultLogger, type LogLevel, makeTelemetryFilterString, Runtime } from '@temporalio/worker';
import { createAnthropicModel } from '../activities/model/anthropic-model';
import { isFailureType } from '../domain/kernel';
import { openFileStore } from '../store/file/open-file-store';
import { connectClient } from '../temporal-config/node/connect-client';
import { connectWorker } from '../temporal-config/node/connect-worker';
import { resolveConnection } from '../temporal-config/node/connection';
import { registerSearchAttributes } from '../temporal-config/node/search-attributes-setup';
import type { Settings } from '../temporal-config/node/settings';
import type { WorkerSlots } from '../temporal-config/task-queues';
import { metricsAt } from '../temporal-config/node/telemetry-settings';
import { type BatonWorkerOptions, createBatonWorker } from './create-worker';
import { findParentProcess } from './parent-process';
import type { Traces } from './telemetry';

/** Options of `runWorker`. */
export interface WorkerEnvironment {
  /** Settings of the process, usually from `readSettings`. */
  readonly settings: Settings;
  /** Anthropic API key. If undefined, the worker starts, but model calls fail. */
  readonly apiKey: string | undefined;
  /** A project's own tools, prompts, skills and workflow entry. Default: none. */
  readonly extensions?: Pick<BatonWorkerOptions, 'tools' | 'prompts' | 'skills' | 'workflowsPath'>;
  /**
   * Receives log lines and messages for the person who started the worker. Called with one line, without line break.
   */
  readonly log: (line: string) => void;
  /** Called once, when the worker starts polling. */
  readonly onReady?: () => void;
}

/**
 * Runs a worker until the process gets SIGTERM or SIGINT. It then stops polling, and other workers continue what is in
 * progress. Connects as the command line does, opens the file store, and adds the search attributes if it may.
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
export async function runWorker({ settings, apiKey, extensions, log, onReady }: WorkerEnvironment): Promise<void> {
  const parent = findParentProcess();
  await installRuntime(settings, log);
  const store = await openFileStore(settings.storeDir);
  const resolved = await resolveConnection({ stateDir: settings.stateDir });
  const { client, close } = await connectClient(resolved);
  const connection = await connectWorker(resolved);
  const traces = settings.tracesUrl === undefined ? undefined : await traceTo(settings.tracesUrl, log);
  try {
    const worker = await createBatonWorker({
      connection,
      client,
      namespace: resolved.namespace,
      store,
      model: createAnthropicModel({ apiKey, baseUrl: settings.modelBaseUrl }),
      taskQueue: settings.taskQueue,
      slots: settings.slots,
      searchAttributes: await prepareNamespace(client, resolved.namespace, log),
      ...extensions,
      ...(traces === undefined ? {} : { traces }),
      ...(settings.stickyTimeoutMs === undefined ? {} : { stickyTimeoutMs: settings.stickyTimeoutMs }),
    });
    if (apiKey === undefined)
      log('ANTHROPIC_API_KEY is not set. Model calls will fail until this worker is restarted with a key.');
    log(
      `Worker on task queue "${settings.taskQueue}" (${describeSlots(settings.slots)}); ${resolved.describe}; store ${settings.storeDir}`,
    );
    const running = worker.run();
    onReady?.();
    parent?.reportReady();
    await running;
  } finally {
    await connection.close();
    await close();
    await traces?.close();
    parent?.disconnect();
  }
}

/** Describes how much the worker does at the same time. */
function describeSlots({ model, tool, control, workflow }: WorkerSlots): string {
  return `slots: ${model} model calls, ${tool} tools, ${control} control, ${workflow} workflow tasks`;
}

/** Sets up logging and metrics of the SDK. Must happen before the first connection. */
async function installRuntime(settings: Settings, log: (line: string) => void): Promise<void> {
  const metrics = await metricsAt(settings.metricsAddress);
  Runtime.install({
    logger: plainLogger(settings.logLevel, log),
    telemetryOptions: {
      logging: { filter: makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' }) },
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

/**
 * Creates a logger that writes one line per entry, with its fields as JSON. An expected failure is logged without its
 * stack, because it is not a bug, and the workflow's history has its details.
 */
function plainLogger(level: LogLevel, log: (line: string) => void): DefaultLogger {
  return new DefaultLogger(level, ({ level: ofEntry, message, meta = {} }) => {
    // The queues of tools and control work have none, on purpose.
    if (message.startsWith('No workflows registered')) return;
    const { error, sdkComponent: _component, taskToken: _token, ...facts } = meta;
    const shown = error === undefined ? facts : { ...facts, error: describe(error) };
    log(`${ofEntry} ${message}${Object.keys(shown).length === 0 ? '' : ` ${JSON.stringify(shown)}`}`);
    if (error instanceof Error && !isExpected(error)) log(error.stack ?? error.message);
  });
}

function isExpected(error: Error): boolean {
  return error instanceof ApplicationFailure && isFailureType(error.type);
}

function describe(error: unknown): string {
  if (error instanceof ApplicationFailure) return `${error.type ?? 'Error'}: ${error.message}`;
  return error instanceof Error ? error.message : String(error);
}

/**
 * Sends traces by OTLP over HTTP to a collector at `url`. Pass the result as the worker option `traces`, and call its
 * `close` after the worker has stopped. `log` is called when sending starts to fail, and when it works again.
 * OpenTelemetry is loaded only here, so that a worker without traces does not wait for it.
 */
export async function traceTo(url: string, log: (line: string) => void): Promise<Traces> {
  const telemetry = await import('./telemetry.js');
  return telemetry.openOtlpTraces(url, log);
}
