import type { Client } from '@temporalio/client';
import { join } from 'node:path';
import { newRunId } from '../../client/baton';
import { defaultLimits, type RunInput } from '../../domain/agent';
import { resolveModel } from '../../domain/model';
import { findSandbox } from '../../temporal-config/node/find-sandbox';
import type { Sandbox } from '../../temporal-config/sandbox';
import { explorer, type Script, type ScriptedModel, startScriptedModel } from '../../testing/scripted-model';
import { workflowPage } from '../context';
import { scriptedEnvironment } from '../service/scripted-environment';
import { startWorkerProcess, type WorkerProcess } from '../service/worker';
import { type Harbour, prepareHarbour } from './harbour';
import type { Place } from './place';

/** The environment of the demo: a server, a model, and workers in separate processes. */
export interface Stage {
  readonly client: Client;
  /** Folder of the store, if a story may take it away for a moment. */
  readonly storeDir: string | undefined;
  readonly taskQueue: string;
  /** Undefined when a real provider answers. Then the calls can't be counted on its side. */
  readonly model: ScriptedModel | undefined;
  readonly workspace: string;
  /** Where commands of agents run: in bubblewrap, or without a sandbox on a machine that has none. */
  readonly sandbox: Sandbox;
  /** An MCP server of the workers. */
  readonly harbour: Harbour;
  /** Sets the script of the model. Has no effect on a real model. */
  play(script: Script): void;
  /** Starts a worker, with other settings than usual if there are any. */
  startWorker(settings?: Readonly<Record<string, string>>): Promise<WorkerProcess>;
  /** Says where a workflow can be looked at. */
  whereIs(workflowId: string): string;
  close(): Promise<void>;
}

/** Slow enough to watch, and to be interrupted in the middle of a reply. */
const pace = { chunkDelayMs: 25 };

/** The folder that the demo's agents work on. */
const workspace = join(__dirname, '..', '..', '..', 'examples', 'sample-project');

/** Starts the model. Workers are started by the stories. */
export async function setStage(place: Place, hasApiKey: boolean): Promise<Stage> {
  const { client, uiUrl, storeDir } = place;
  const model = hasApiKey ? undefined : await startScriptedModel(explorer(), { pace });
  const taskQueue = `demo-${process.pid}`;
  const found = await findSandbox();
  // The demo runs nothing but the tests of its own sample project, which are harmless.
  const sandbox: Sandbox = found.kind === 'none' ? { kind: 'unsafe' } : found;
  const harbour = await prepareHarbour();
  const env = workerSettings({ taskQueue, sandbox, harbour, model });
  // Promises, so that closing the stage while a worker starts does not leave it running.
  const workers: Promise<WorkerProcess>[] = [];
  return {
    client,
    storeDir,
    taskQueue,
    model,
    workspace,
    sandbox,
    harbour,
    play: (script) => model?.setScript(script),
    startWorker(settings = {}) {
      const starting = place
        .workerEnvironment()
        .then((own) =>
          startWorkerProcess({ env: { BATON_SHUTDOWN_GRACE: '0', ...env, ...own, ...settings }, isQuiet: true }),
        );
      workers.push(starting);
      return starting;
    },
    whereIs: (workflowId) =>
      uiUrl === undefined
        ? `  workflow: ${workflowId}`
        : `  Web UI: ${workflowPage(uiUrl, client.options.namespace, workflowId)}`,
    async close() {
      await Promise.all(workers.map((starting) => starting.then(stop, () => undefined)));
      await model?.close();
      await harbour.remove();
      await place.close();
    },
  };
}

function workerSettings(parts: Pick<Stage, 'taskQueue' | 'sandbox' | 'harbour' | 'model'>): Record<string, string> {
  const { taskQueue, sandbox, harbour, model } = parts;
  return {
    BATON_TASK_QUEUE: taskQueue,
    // A dead worker should be noticed while people watch.
    BATON_STICKY_TIMEOUT_MS: '1000',
    BATON_SANDBOX: sandbox.kind,
    BATON_MCP_CONFIG: harbour.config,
    ...(model === undefined ? {} : scriptedEnvironment(model)),
  };
}

async function stop(worker: WorkerProcess): Promise<void> {
  worker.kill('SIGTERM');
  await worker.ended;
}

/** Returns the input of a demo run: it works on the sample project and detects a dead worker quickly. */
export function runFor({ workspace }: Stage, goal: string): RunInput & { readonly goal: string } {
  return {
    runId: `demo-${newRunId()}`,
    goal,
    model: resolveModel({}),
    workspace: { root: workspace },
    limits: { ...defaultLimits, maxTurns: 30 },
    tuning: { heartbeatTimeoutMs: 2_000 },
  };
}

/** A statement about Baton that the demo checks. */
export interface Claim {
  readonly text: string;
  readonly holds: boolean;
}

/** Creates a claim. */
export function claim(text: string, holds: boolean): Claim {
  return { text, holds };
}
