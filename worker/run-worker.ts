import type { Client } from '@temporalio/client';
import { makeTelemetryFilterString, Runtime } from '@temporalio/worker';
import { createAnthropicModel } from '../activities/adapters/anthropic-model';
import { openFileStore } from '../store/file-store/open-file-store';
import { connectClient } from '../temporal-config/node/connect-client';
import { connectWorker } from '../temporal-config/node/connect-worker';
import { resolveConnection } from '../temporal-config/node/connection';
import type { Settings } from '../temporal-config/node/settings';
import { metricsAt } from '../temporal-config/node/telemetry-metrics';
import { registerSearchAttributes } from '../temporal-config/server/search-attributes-setup';
import { createBatonWorker, type BatonWorkerOptions } from './create-worker';
import { plainLogger } from './plain-logger';
import { traceTo } from './telemetry-lazy';

export interface WorkerEnvironment {
  readonly settings: Settings;
  readonly apiKey: string | undefined;
  /** What a project adds to Baton's own. */
  readonly extensions?: Pick<BatonWorkerOptions, 'tools' | 'prompts' | 'skills' | 'workflowsPath'>;
  /** A line for whoever started the worker. */
  readonly say: (line: string) => void;
  /** Called once the worker takes work. */
  readonly ready?: () => void;
}

/** Runs a worker until it is told to stop (SIGTERM, SIGINT): then polling ends and what is under way is handed over. */
export async function runWorker({ settings, apiKey, extensions, say, ready }: WorkerEnvironment): Promise<void> {
  Runtime.install({
    logger: plainLogger(settings.logLevel, say),
    telemetryOptions: {
      logging: { filter: makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' }) },
      ...(await metricsAt(settings.metricsAddress)),
    },
  });
  const store = await openFileStore(settings.storeDir);
  const resolved = await resolveConnection({ stateDir: settings.stateDir });
  const { client, close } = await connectClient(resolved);
  const connection = await connectWorker(resolved);
  const traces = settings.tracesUrl === undefined ? undefined : await traceTo(settings.tracesUrl, say);
  try {
    const searchAttributes = await prepareNamespace(client, resolved.namespace, say);
    const worker = await createBatonWorker({
      connection,
      client,
      namespace: resolved.namespace,
      store,
      model: createAnthropicModel({ apiKey, baseUrl: settings.modelBaseUrl }),
      taskQueue: settings.taskQueue,
      searchAttributes,
      ...extensions,
      ...(traces === undefined ? {} : { traces }),
      ...(settings.stickyTimeoutMs === undefined ? {} : { stickyTimeoutMs: settings.stickyTimeoutMs }),
    });
    if (apiKey === undefined)
      say('No ANTHROPIC_API_KEY is set: model calls will fail until this worker is restarted with one.');
    say(`Worker on task queue "${settings.taskQueue}" at ${resolved.describe}; store ${settings.storeDir}`);
    const running = worker.run();
    ready?.();
    await running;
  } finally {
    await connection.close();
    await close();
    await traces?.close();
  }
}

/** Without its search attributes a namespace still runs everything; only searching by them is lost. */
async function prepareNamespace(client: Client, namespace: string, say: (line: string) => void): Promise<boolean> {
  const report = await registerSearchAttributes(client.connection, namespace);
  if (report.missing.length === 0 && report.conflicts.length === 0) return true;
  say(
    `Runs can't be searched by Baton's attributes${report.reason === undefined ? '' : ` (${report.reason})`}. To add them:`,
  );
  report.commands.forEach((command) => {
    say(`  ${command}`);
  });
  return false;
}
