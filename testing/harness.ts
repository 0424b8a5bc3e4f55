import type { Client } from '@temporalio/client';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Baton, createBaton, type ResolvedConnection } from '../client';
import type { Store } from '../domain/store';
import { type EncryptionKeys, keyRingOf } from '../encryption/key-ring';
import { type BatonWorkerOptions, connectClient, connectWorker, openFileStore } from '../worker';
import { silenceWorkers } from './quiet-runtime';
import { type Script, type ScriptedModel, type ScriptedModelOptions, startScriptedModel } from './scripted-model';
import { runToEnd, type TestRun, type TestRunOptions } from './test-run';
import { startTestServer } from './test-server';
import { TestWorker } from './test-worker';

/** Options of `startHarness`. All are optional. */
export interface HarnessOptions
  extends
    Pick<
      BatonWorkerOptions,
      | 'tools'
      | 'mcpServers'
      | 'mcpLimits'
      | 'prompts'
      | 'promptDefaults'
      | 'skills'
      | 'relays'
      | 'approve'
      | 'slots'
      | 'roles'
      | 'limits'
      | 'modelDefaults'
      | 'providers'
      | 'commands'
      | 'workflowsPath'
      | 'workflowBundlePath'
    >,
    Pick<ScriptedModelOptions, 'models' | 'pace' | 'onCall'> {
  /**
   * Keys that the client, the worker and the store encrypt with. Default: no encryption, whatever the environment says.
   */
  readonly encryption?: EncryptionKeys;
  /** Context windows and prices of models: the option `models` of the worker. Default: none. */
  readonly modelFacts?: BatonWorkerOptions['models'];
  /** Plays the model in runs that don't have their own script. Default: every run must have one. */
  readonly script?: Script;
  /**
   * Host and port of a running Temporal server, for example from `startTestServer`. Default: the harness starts a server
   * and stops it when it is closed, which takes about two seconds.
   */
  readonly address?: string | undefined;
  /** Namespace of the runs, which must exist. Default: `default`. */
  readonly namespace?: string;
  /** Whether a worker is started at once. Default: true. Otherwise runs wait until `startWorker` is called. */
  readonly withWorker?: boolean;
}

/**
 * Everything that an agent needs, in one process: a Temporal server, a worker with a project's extensions, a scripted
 * model, and a store in a temporary folder. The task queue is unique, so harnesses can share a server.
 */
export interface Harness {
  /** Client that is connected to the server. The harness closes it. */
  readonly client: Client;
  /** Starts runs and relays that `run` does not cover: those that a test pauses, steers or cancels. */
  readonly baton: Baton;
  /** The scripted model: its calls so far, rejected requests, and functions that wait for a call. */
  readonly model: ScriptedModel;
  /** Store of the worker. */
  readonly store: Store;
  /** Temporary folder that contains the store. A test may write to it; `close` deletes it. */
  readonly folder: string;
  /** Host and port of the server. */
  readonly address: string;
  /** Task queue of the worker. */
  readonly taskQueue: string;
  /**
   * Runs an agent to its end. A run that fails is a returned outcome. Throws if the script throws, if the time is up, or
   * if another call has not returned yet: a harness has one script at a time.
   */
  run(options: TestRunOptions): Promise<TestRun>;
  /** Starts a worker, for example after `stopWorker`. */
  startWorker(): Promise<void>;
  /** Shuts the worker down as SIGTERM does. Its work continues when a worker is started again. */
  stopWorker(): Promise<void>;
  /** Stops and deletes everything that the harness started. Safe to call twice. */
  close(): Promise<void>;
}

/**
 * Starts a harness: a real Temporal server and a real worker, and a scripted model in place of the provider. Close it
 * when the tests have ended, otherwise the server keeps running.
 *
 * Logs only errors. Call Temporal's `Runtime.install` before to configure logging yourself.
 *
 * @throws ServerSetupError if no server can be started, ConnectionFailedError if none responds at `address`, and
 * InvalidInputError if two tools have the same name.
 *
 * @example
 * ```ts
 * import assert from 'node:assert/strict';
 * import { after, test } from 'node:test';
 * import { type Harness, say, scriptByTurn, startHarness, useTool } from 'baton-agents/testing';
 *
 * let harness: Harness | undefined;
 * after(() => harness?.close());
 *
 * test('the agent notes what it decides', async () => {
 *   harness = await startHarness();
 *   const run = await harness.run({
 *     goal: 'Choose a database.',
 *     script: scriptByTurn(useTool('add_note', { text: 'SQLite is enough.', kind: 'decision' }), say('SQLite.')),
 *   });
 *   assert.equal(run.answer, 'SQLite.');
 *   assert.equal(run.calls[1]?.toolResults[0]?.isError, false);
 *   assert.equal(run.session.slices['notes']?.length, 1);
 * });
 * ```
 */
export async function startHarness(options: HarnessOptions = {}): Promise<Harness> {
  const cleanUp = new CleanUp();
  try {
    const harness = await build(options, cleanUp);
    if (options.withWorker ?? true) await harness.startWorker();
    return harness;
  } catch (error) {
    await cleanUp.run();
    throw error;
  }
}

async function build(options: HarnessOptions, cleanUp: CleanUp): Promise<Harness> {
  silenceWorkers();
  const folder = await mkdtemp(join(tmpdir(), 'baton-test-'));
  cleanUp.add(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }));
  const target = await connectionTo(options, cleanUp);
  const encryption = options.encryption === undefined ? undefined : await keyRingOf(options.encryption);
  const { client, close } = await connectClient(target, { encryption });
  cleanUp.add(close);
  // Kept until the end: the SDK shuts its native runtime down with the last connection or worker of the process, which
  // other harnesses may be about to use.
  const connection = await connectWorker(target);
  cleanUp.add(() => connection.close());
  const model = await startScriptedModel(options.script ?? missingScript, options);
  cleanUp.add(() => model.close());
  const store = await openFileStore(join(folder, 'store'), { encryption });
  const taskQueue = `test-${randomUUID().replaceAll('-', '').slice(0, 16)}`;
  const environment = { client, baton: createBaton(client, { taskQueue }), model, store };
  const worker = new TestWorker(
    { ...extensionsIn(options), client, connection, namespace: target.namespace, store, taskQueue },
    model,
  );
  cleanUp.add(() => worker.stop());
  return {
    ...environment,
    folder,
    taskQueue,
    address: target.connectionOptions.address,
    run: oneAtATime(async ({ script = options.script ?? missingScript, ...run }) => {
      if (script === missingScript) return missingScript();
      return runToEnd(environment, script, run).finally(() => {
        model.setScript(options.script ?? missingScript);
      });
    }),
    startWorker: () => worker.start(),
    stopWorker: () => worker.stop(),
    close: () => cleanUp.run(),
  };
}

/** The options of the worker. Its `models` are not those that the scripted model offers. */
function extensionsIn({ models: _offered, modelFacts, ...extensions }: HarnessOptions) {
  return { ...extensions, ...(modelFacts === undefined ? {} : { models: modelFacts }) };
}

function missingScript(): never {
  throw new Error('The run has no script. Pass one to `run` or to `startHarness`.');
}

/** Returns the connection to the given server, or else to a new one that `cleanUp` stops. */
async function connectionTo(options: HarnessOptions, cleanUp: CleanUp): Promise<ResolvedConnection> {
  const { address = await ownServer(cleanUp), namespace = 'default' } = options;
  const describe = `Temporal at ${address}, namespace ${namespace}`;
  return { kind: 'configured', connectionOptions: { address }, namespace, describe };
}

async function ownServer(cleanUp: CleanUp): Promise<string> {
  const server = await startTestServer();
  cleanUp.add(() => server.close());
  return server.address;
}

/** Rejects a call that is made before the previous one has returned. */
function oneAtATime<In, Out>(work: (input: In) => Promise<Out>): (input: In) => Promise<Out> {
  let isBusy = false;
  return async (input) => {
    if (isBusy) throw new Error('Another run of this harness has not ended. Await it, or start a second harness.');
    isBusy = true;
    try {
      return await work(input);
    } finally {
      isBusy = false;
    }
  };
}

/** Undoes what was started, in reverse order. Each step runs once, even if an earlier one fails. */
class CleanUp {
  readonly #steps: (() => Promise<void>)[] = [];

  add(step: () => Promise<void>): void {
    this.#steps.push(step);
  }

  async run(): Promise<void> {
    const step = this.#steps.pop();
    if (step === undefined) return;
    try {
      await step();
    } finally {
      await this.run();
    }
  }
}
