import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { batonQueue } from './workers';

/** A period, in milliseconds since 1970. */
export interface Period {
  readonly start: number;
  readonly end: number;
}

/** A worker in a separate process whose memory is measured several times a second. Linux only. */
export class WorkerProcess {
  private readonly samples: { readonly at: number; readonly megabytes: number }[] = [];
  private readonly timer: NodeJS.Timeout;

  private constructor(private readonly child: ChildProcess) {
    this.timer = setInterval(() => {
      this.sample();
    }, 100);
  }

  static async start(variables: Readonly<Record<string, string>>): Promise<WorkerProcess> {
    const limits = { BATON_WORKSPACE_MAX_ENTRIES: '60000', BATON_WORKSPACE_MAX_BYTES: '2GiB' };
    const env = { ...process.env, ...variables, ...limits, BATON_TASK_QUEUE: batonQueue };
    const child = fork(require.resolve('../../worker/main'), { env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    await once(child, 'message');
    const worker = new WorkerProcess(child);
    worker.sample();
    return worker;
  }

  /** Returns the most memory that the process used, in megabytes, during a period or in all. */
  most({ start, end }: Period = { start: 0, end: Infinity }): number {
    const within = this.samples.filter(({ at }) => at >= start && at <= end);
    return Math.max(...within.map(({ megabytes }) => megabytes));
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    this.child.kill('SIGTERM');
    await once(this.child, 'exit');
  }

  private sample(): void {
    const kilobytes = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${this.child.pid}/status`, 'utf8'))?.[1];
    this.samples.push({ at: Date.now(), megabytes: Math.round(Number(kilobytes) / 1000) });
  }
}
