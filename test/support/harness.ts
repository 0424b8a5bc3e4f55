import type { Client, WorkflowHandleWithFirstExecutionRunId } from '@temporalio/client';
import { randomUUID } from 'node:crypto';
import { defaultLimits, type RunInput } from '../../domain/agent';
import { runWorkflowId } from '../../domain/kernel';
import type { Store } from '../../domain/store';
import { startHarness, type Harness as Parts, type HarnessOptions as PartsOptions } from '../../testing/harness';
import type { Script, ScriptedModel } from '../../testing/scripted-model';
import { rootPriority } from '../../temporal-config/priority';
import type { RunWorkflow } from '../../workflows/agent/run-workflow';
import { workflowBundle } from './paths';
import { historiesOf, replayAll, type Execution } from './replay';

/** Maximum histories of one run that are replayed at the end. Hardly any test has more. */
const replayedPerRun = 40;

export type RunHandle = WorkflowHandleWithFirstExecutionRunId<RunWorkflow>;
export type RunWishes = Partial<Omit<RunInput, 'runId'>>;

export interface HarnessOptions extends Omit<PartsOptions, 'script' | 'address' | 'namespace'> {
  /** False for long runs that resemble what other files replay. */
  readonly replayed?: boolean;
}

/**
 * The harness of `baton-agents/testing` on the server that all test files share. It starts runs without waiting for them, and
 * replays them at the end.
 */
export class Harness {
  readonly client: Client;
  readonly model: ScriptedModel;
  readonly store: Store;
  readonly folder: string;
  readonly taskQueue: string;
  private readonly started: RunHandle[] = [];

  private constructor(
    private readonly parts: Parts,
    private readonly replayed: boolean,
  ) {
    ({
      client: this.client,
      model: this.model,
      store: this.store,
      folder: this.folder,
      taskQueue: this.taskQueue,
    } = parts);
  }

  static async start(script: Script, { replayed = true, ...options }: HarnessOptions = {}): Promise<Harness> {
    const workflowBundlePath = workflowBundle.codePath;
    return new Harness(
      await startHarness({ script, address: testAddress(), workflowBundlePath, ...options }),
      replayed,
    );
  }

  startWorker(): Promise<void> {
    return this.parts.startWorker();
  }

  stopWorker(): Promise<void> {
    return this.parts.stopWorker();
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
      priority: rootPriority(input.tenant ?? runId),
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
      if (this.replayed) await replayAll(this.histories(), this.client);
    } finally {
      await this.parts.close();
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
