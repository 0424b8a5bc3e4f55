import { Client, Connection, WorkflowNotFoundError } from '@temporalio/client';
import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runWorkflowId } from '../../../domain/kernel';
import { startScriptedModel, type Script, type ScriptedModel } from '../../../testing/scripted-model';
import { testAddress } from '../../support/harness';
import { projectRoot, workerMain } from '../../support/paths';
import { batonInProcess, type Printed } from './in-process';
import { baton, RunningCommand, startBaton, type Ended, type Surroundings } from './process';

/** The environment of a user of the command line: a folder, a server, a store, a worker and a model. */
export class Stand {
  private readonly workers: RunningCommand[] = [];
  /** Commands that run in this process. */
  private commands = 0;

  private constructor(
    readonly folder: string,
    readonly env: Readonly<Record<string, string>>,
    readonly model: ScriptedModel,
    readonly client: Client,
  ) {}

  static async start(script: Script, { withWorker = true } = {}): Promise<Stand> {
    const folder = await mkdtemp(join(tmpdir(), 'baton-client-'));
    await mkdir(join(folder, 'workspace'));
    const [model, connection] = await Promise.all([
      startScriptedModel(script),
      Connection.connect({ address: testAddress() }),
    ]);
    const env = {
      TEMPORAL_ADDRESS: testAddress(),
      BATON_STATE_DIR: join(folder, 'state'),
      BATON_STORE_DIR: join(folder, 'store'),
      BATON_TASK_QUEUE: `client-${randomUUID()}`,
      BATON_STICKY_TIMEOUT_MS: '1000',
      ANTHROPIC_API_KEY: 'scripted',
      ANTHROPIC_BASE_URL: model.baseUrl,
    };
    const stand = new Stand(folder, env, model, new Client({ connection }));
    if (withWorker) await stand.startWorker();
    return stand;
  }

  /** The worker as a process manager would start it, without the command line. */
  async startWorker(env: Readonly<Record<string, string>> = {}): Promise<RunningCommand> {
    const child = fork(workerMain, {
      env: { ...process.env, ...this.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    const worker = new RunningCommand(child);
    this.workers.push(worker);
    await worker.said('Worker on task queue');
    return worker;
  }

  /** Stops all workers. */
  async stopWorker(): Promise<void> {
    await Promise.all(this.workers.splice(0).map((worker) => worker.kill('SIGTERM')));
  }

  /**
   * Runs a command in this process, where the process itself is not what is tested: loading the program takes longer
   * than most commands.
   */
  async command(...args: readonly string[]): Promise<Printed> {
    this.commands += 1;
    if (this.commands === 1) process.chdir(this.folder);
    try {
      return await batonInProcess(this, args);
    } finally {
      this.commands -= 1;
      if (this.commands === 0) process.chdir(projectRoot);
    }
  }

  /** Runs a command in a separate process. */
  baton(...args: readonly string[]): Promise<Ended> {
    return baton(args, this.surroundings());
  }

  /** Runs a command with other settings; an empty one counts as unset. */
  batonWith(env: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<Ended> {
    return baton(args, this.surroundings(env));
  }

  startBaton(...args: readonly string[]): RunningCommand {
    return this.startBatonWith({}, ...args);
  }

  startBatonWith(env: Readonly<Record<string, string>>, ...args: readonly string[]): RunningCommand {
    return startBaton(args, this.surroundings(env));
  }

  surroundings(env: Readonly<Record<string, string>> = {}): Surroundings {
    return { cwd: this.folder, env: { ...this.env, ...env } };
  }

  newId(): string {
    return `t-${randomUUID()}`;
  }

  async hasRun(runId: string): Promise<boolean> {
    try {
      await this.client.workflow.getHandle(runWorkflowId(runId)).describe();
      return true;
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return false;
      throw error;
    }
  }

  /** Ends what a test has left running, so that no other test file's worker finds it. */
  async stopRun(runId: string): Promise<void> {
    await this.client.workflow.getHandle(runWorkflowId(runId)).terminate('the test is over');
  }

  async close(): Promise<void> {
    await this.stopWorker();
    await this.model.close();
    await this.client.connection.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}
