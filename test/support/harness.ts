import { Client, Connection, type WorkflowHandleWithFirstExecutionRunId } from '@temporalio/client';
import { NativeConnection, type Worker } from '@temporalio/worker';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAnthropicModel } from '../../activities/model/anthropic-model';
import type { Tool } from '../../activities/tool/define-tool';
import { defaultLimits, type RunInput } from '../../domain/agent';
import { runWorkflowId } from '../../domain/kernel';
import type { Store } from '../../domain/store';
import { openFileStore } from '../../store/file/open-file-store';
import {
  startScriptedModel,
  type Script,
  type ScriptedModel,
  type ScriptedModelOptions,
} from '../../testing/scripted-model';
import { createBatonWorker, type BatonWorkerOptions } from '../../worker/create-worker';
import type { RunWorkflow } from '../../workflows/agent/run-workflow';
import { workflowBundle } from './paths';
import { historiesOf, replayAll, type Execution } from './replay';

/** Maximum histories of one run that are replayed at the end. Hardly any test has more. */
const replayedPerRun = 40;

export type RunHandle = WorkflowHandleWithFirstExecutionRunId<RunWorkflow>;
export type RunWishes = Partial<Omit<RunInput, 'runId'>>;

export interface HarnessOptions extends ScriptedModelOptions {
  readonly tools?: readonly Tool[];
  readonly skills?: NonNullable<BatonWorkerOptions['skills']>;
  readonly withWorker?: boolean;
  /** False for long runs that resemble what other files replay. */
  readonly replayed?: boolean;
}

/** A scripted model, a store and a worker on the shared server, used through the same API as a user would. */
export class Harness {
  private readonly started: RunHandle[] = [];
  private running: Promise<void> | undefined;

  private constructor(
    readonly client: Client,
    private readonly native: NativeConnection,
    private worker: Worker | undefined,
    readonly taskQueue: string,
    readonly folder: string,
    readonly store: Store,
    readonly model: ScriptedModel,
    private readonly extensions: Pick<HarnessOptions, 'tools' | 'skills'>,
    private readonly replayed: boolean,
  ) {}

  static async start(
    script: Script,
    { tools = [], skills = [], withWorker = true, replayed = true, ...options }: HarnessOptions = {},
  ): Promise<Harness> {
    const address = testAddress();
    const [connection, native] = await Promise.all([
      Connection.connect({ address }),
      NativeConnection.connect({ address }),
    ]);
    const folder = await mkdtemp(join(tmpdir(), 'baton-test-'));
    const store = await openFileStore(join(folder, 'store'));
    const model = await startScriptedModel(script, options);
    const harness = new Harness(
      new Client({ connection }),
      native,
      undefined,
      `test-${shortId()}`,
      folder,
      store,
      model,
      { tools, skills },
      replayed,
    );
    if (withWorker) await harness.startWorker();
    return harness;
  }

  async startWorker(): Promise<void> {
    this.worker = await createBatonWorker({
      connection: this.native,
      client: this.client,
      namespace: 'default',
      taskQueue: this.taskQueue,
      store: this.store,
      model: createAnthropicModel({ apiKey: 'scripted', baseUrl: this.model.baseUrl }),
      ...this.extensions,
      searchAttributes: true,
      stickyTimeoutMs: 1_000,
      workflowBundlePath: workflowBundle.codePath,
    });
    this.running = this.worker.run();
  }

  /** Shuts down the worker as SIGTERM does: running work ends or is retried elsewhere. */
  async stopWorker(): Promise<void> {
    this.worker?.shutdown();
    await this.running;
    this.worker = undefined;
  }

  async startRun(wishes: RunWishes = {}): Promise<RunHandle> {
    const runId = `t-${shortId()}`;
    const input: RunInput = {
      runId,
      // A unique id, so that no request equals one of another run: the scripted model counts attempts by request.
      goal: `Look around and report on ${runId}.`,
      model: { name: 'claude-sonnet-5-5', maxTokens: 1_000, window: 200_000 },
      limits: { ...defaultLimits, maxTurns: 50 },
      tuning: { heartbeatTimeoutMs: 2_000 },
      ...wishes,
    };
    const handle = await this.client.workflow.start<RunWorkflow>('runWorkflow', {
      workflowId: runWorkflowId(runId),
      taskQueue: this.taskQueue,
      args: [input],
    });
    this.started.push(handle);
    return handle;
  }

  /**
   * Replays with the current code what ran here, at the end of every test file that uses a server. Of hundreds of
   * similar children, only a sample is replayed.
   */
  async close(): Promise<void> {
    try {
      if (this.replayed) await replayAll(this.histories());
    } finally {
      await this.stopWorker();
      await this.model.close();
      await this.client.connection.close();
      await this.native.close();
      await rm(this.folder, { recursive: true, force: true });
    }
  }

  private async *histories(): AsyncGenerator<Execution> {
    for (const { workflowId, firstExecutionRunId } of this.started)
      yield* await historiesOf(this.client, workflowId, firstExecutionRunId, replayedPerRun);
  }
}

export function testAddress(): string {
  const address = process.env['BATON_TEST_ADDRESS'];
  if (address === undefined) throw new Error('No test server: run the tests with `npm test`');
  return address;
}

/** As long as real ids, because sizes of histories are compared with bounds. */
function shortId(): string {
  return randomUUID().replaceAll('-', '').slice(0, 16);
}
