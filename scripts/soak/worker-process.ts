import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { HeapReport } from './worker';

/** What a process uses. Memory is in bytes. */
interface ProcessUse {
  readonly resident: number;
  readonly openFiles: number;
}

/** A worker in a process of its own, which can be asked for its memory. */
export class SoakWorker {
  private constructor(private readonly child: ChildProcess) {}

  /** Starts a worker. Resolves when it polls. */
  static async start(env: Readonly<Record<string, string>>, cwd: string): Promise<SoakWorker> {
    const hook = join(__dirname, '..', 'typescript-hook.js');
    const child = fork(join(__dirname, 'worker.ts'), {
      execArgv: ['-r', hook],
      env: { ...process.env, ...env },
      cwd,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const gone = once(child, 'exit').then(([code]) => {
      throw new Error(`A worker ended while it started (${String(code)}).`);
    });
    gone.catch(() => undefined);
    await Promise.race([once(child, 'message'), gone]);
    return new SoakWorker(child);
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** How the process has ended, which no worker of a soak should; undefined while it runs. */
  get end(): string | undefined {
    const { exitCode, signalCode } = this.child;
    return signalCode ?? (exitCode === null ? undefined : `exit code ${exitCode}`);
  }

  /** Lets the worker collect its garbage, and returns what is left. */
  async heaps(): Promise<HeapReport> {
    const answer = once(this.child, 'message');
    this.child.send('report your heaps');
    const [report] = (await answer) as [HeapReport];
    return report;
  }

  async stop(): Promise<void> {
    if (this.end !== undefined) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await ended;
  }
}

/** Reads what a process uses. Linux only. */
export async function useOf(pid: number): Promise<ProcessUse> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const kilobytes = /VmRSS:\s+(\d+) kB/.exec(status)?.[1];
  return { resident: Number(kilobytes) * 1024, openFiles: (await readdir(`/proc/${pid}/fd`)).length };
}
