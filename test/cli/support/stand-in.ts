import { Client, Connection, type ConnectionOptions } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { randomUUID } from 'node:crypto';
import type { CliContext } from '../../../cli/context';
import { runProgram } from '../../../cli/run-program';
import { runWorkflowId } from '../../../domain/kernel';
import { readSettings } from '../../../temporal-config/node/settings';
import { bundleOnce } from '../../support/bundle-once';
import { testAddress } from '../../support/harness';
import { recordTerminal } from '../../support/recorded-terminal';
import type { Part } from './stand-in-agents';

type Interceptor = NonNullable<ConnectionOptions['interceptors']>[number];

/** Simulated agents on the real server, and the command line in this process, with every call to the server counted. */
export class StandIn {
  private readonly started: string[] = [];

  private constructor(
    readonly client: Client,
    readonly calls: string[],
    private readonly worker: Worker,
    private readonly running: Promise<void>,
    private readonly native: NativeConnection,
    readonly taskQueue: string,
  ) {}

  static async start(): Promise<StandIn> {
    const calls: string[] = [];
    const counting: Interceptor = (options, nextCall) => {
      calls.push(options.method_definition.path.split('/').at(-1) ?? '');
      return nextCall(options) as ReturnType<Interceptor>;
    };
    const connection = await Connection.connect({ address: testAddress(), interceptors: [counting] });
    const native = await NativeConnection.connect({ address: testAddress() });
    const taskQueue = `stand-in-${randomUUID()}`;
    const workflowBundle = await bundleOnce(require.resolve('./stand-in-agents'));
    const worker = await Worker.create({ connection: native, taskQueue, workflowBundle });
    return new StandIn(new Client({ connection }), calls, worker, worker.run(), native, taskQueue);
  }

  async play(part: Omit<Part, 'runId'>, taskQueue = this.taskQueue): Promise<string> {
    const runId = `s-${randomUUID()}`;
    await this.client.workflow.start('runWorkflow', {
      workflowId: runWorkflowId(runId),
      taskQueue,
      args: [{ ...part, runId }],
    });
    this.started.push(runId);
    return runId;
  }

  async baton(...args: readonly string[]): Promise<{ exitCode: number; stdout: string; stderr: string }> {
    const { terminal, out, err } = recordTerminal();
    const context: CliContext = {
      terminal,
      // A folder without a store.
      settings: () => readSettings({}, '/nonexistent'),
      connect: () =>
        Promise.resolve({
          client: this.client,
          namespace: 'default',
          uiUrl: undefined,
          close: () => Promise.resolve(),
        }),
      openStore: () => Promise.reject(new Error('there is no store here')),
    };
    const exitCode = await runProgram(context, args);
    return { exitCode, stdout: out(), stderr: err() };
  }

  async close(): Promise<void> {
    for (const runId of this.started)
      await this.client.workflow
        .getHandle(runWorkflowId(runId))
        .terminate()
        .catch(() => undefined);
    this.worker.shutdown();
    await this.running;
    await this.client.connection.close();
    await this.native.close();
  }
}
