import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { typescriptHook } from '../../support/paths';
import { kill } from '../../support/worker-process';
import { Link } from '../../support/link';
import type { ChaosWorkerPlan, WorkerOrder, WorkerReport } from './worker-plan';

/** A worker process and its link to the server. */
export interface ChaosWorker {
  readonly process: ChildProcess;
  readonly link: Link;
}

/** The worker processes of a session. There are always the same number, except during a fault. */
export class Workers {
  readonly running: ChaosWorker[] = [];
  /** Ends of workers that nobody killed, with the last lines of their logs. Whoever reports them empties it. */
  readonly deaths: string[] = [];
  private started = 0;

  constructor(
    private readonly plan: ChaosWorkerPlan & { readonly env: NodeJS.ProcessEnv },
    private readonly logs: string,
    readonly count: number,
  ) {}

  /** Starts as many as are missing. */
  async fill(): Promise<void> {
    const missing = this.count - this.running.length;
    await Promise.all(Array.from({ length: missing }, () => this.start()));
  }

  async kill(worker: ChaosWorker): Promise<void> {
    this.running.splice(this.running.indexOf(worker), 1);
    await kill(worker.process);
    await worker.link.close();
  }

  /** Gives an order to all of them. */
  order(order: WorkerOrder): void {
    for (const { process: child } of this.running) child.send(order);
  }

  /** Asks a worker how it is. */
  async report({ process: child }: ChaosWorker): Promise<WorkerReport> {
    const answered = once(child, 'message') as Promise<[WorkerReport]>;
    child.send({ order: 'report' } satisfies WorkerOrder);
    return (await answered)[0];
  }

  async close(): Promise<void> {
    await Promise.all([...this.running].map((worker) => this.kill(worker)));
  }

  private async start(): Promise<void> {
    const { env, ...plan } = this.plan;
    const link = await Link.to(plan.address);
    const logFile = join(this.logs, `worker-${(this.started += 1)}.log`);
    const log = openSync(logFile, 'a');
    const child = fork(join(__dirname, 'worker-main.ts'), [JSON.stringify({ ...plan, address: link.address })], {
      execArgv: ['--expose-gc', '-r', typescriptHook],
      env,
      stdio: ['ignore', log, log, 'ipc'],
    });
    closeSync(log);
    const lastLines = (): string => readFileSync(logFile, 'utf8').slice(-2_000);
    const ended = once(child, 'exit').then(() => {
      throw new Error(`A worker ended before it was ready:\n${lastLines()}`);
    });
    ended.catch(() => undefined);
    await Promise.race([once(child, 'message'), ended]);
    const worker = { process: child, link };
    this.running.push(worker);
    child.once('exit', (code, signal) => {
      const position = this.running.indexOf(worker);
      // Killed workers are not in the list any more.
      if (position < 0) return;
      this.running.splice(position, 1);
      this.deaths.push(`worker ${child.pid} ended by itself, ${signal ?? `code ${code}`}: ${lastLines()}`);
      void link.close();
    });
  }
}
