import { Client, Connection, type ConnectionOptions } from '@temporalio/client';
import { bundleWorkflowCode, NativeConnection, Worker } from '@temporalio/worker';
import { randomUUID } from 'node:crypto';
import type { CliContext } from '../../../cli/context';
import { explain } from '../../../cli/explain';
import { createProgram } from '../../../cli/program';
import { runWorkflowId } from '../../../domain/kernel';
import { testAddress } from '../../support/harness';
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
    const workflowBundle = await bundleWorkflowCode({ workflowsPath: require.resolve('./stand-in-agents') });
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
    const lines = { stdout: '', stderr: '' };
    const context: CliContext = {
      terminal: {
        print: (line) => void (lines.stdout += `${line}\n`),
        write: () => undefined,
        note: (line) => void (lines.stderr += `${line}\n`),
        readStdin: () => Promise.resolve(new Uint8Array()),
        isInteractive: false,
      },
      settings: () => {
        throw new Error('not needed here');
      },
      connect: () =>
        Promise.resolve({
          client: this.client,
          namespace: 'default',
          uiUrl: undefined,
          close: () => Promise.resolve(),
        }),
      openStore: () => Promise.reject(new Error('there is no store here')),
    };
    try {
      const program = await createProgram(context, args);
      await program.parseAsync([...args], { from: 'user' });
      return { exitCode: 0, ...lines };
    } catch (error) {
      const { output, exitCode } = explain(error);
      return { exitCode, stdout: lines.stdout, stderr: `${lines.stderr}${String(output)}\n` };
    }
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
