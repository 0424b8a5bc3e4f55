import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Reply, Request } from './serve';
import type { Place, System } from './system';

/** Lets Node.js load the TypeScript of a system, which is not compiled with Baton. */
const hook = join(__dirname, '..', '..', '..', 'scripts', 'typescript-hook.js');

/** A system in a process of its own. */
export class SystemProcess {
  private requests = 0;
  private readonly waiting = new Map<number, (reply: Reply) => void>();
  private readonly exited: Promise<unknown>;

  private constructor(
    private readonly child: ChildProcess,
    private readonly logFile: string,
  ) {
    this.exited = once(child, 'exit');
    child.on('message', (reply: Reply) => {
      this.waiting.get(reply.number)?.(reply);
      this.waiting.delete(reply.number);
    });
    child.once('exit', () => {
      for (const [number, settle] of this.waiting) settle({ number, error: 'its process has ended' });
      this.waiting.clear();
    });
  }

  /** Starts the process, and returns when the system can be used. */
  static async start(file: string, place: Place): Promise<SystemProcess> {
    const logFile = join(place.folder, 'log');
    const log = openSync(logFile, 'a');
    const child = fork(require.resolve('./serve'), [file, JSON.stringify(place)], {
      execArgv: ['-r', hook],
      env: { ...process.env, DO_NOT_TRACK: '1', OPENAI_AGENTS_DISABLE_TRACING: '1', LANGSMITH_TRACING: 'false' },
      stdio: ['ignore', log, log, 'ipc'],
    });
    closeSync(log);
    const process_ = new SystemProcess(child, logFile);
    try {
      await process_.answerTo(0);
    } catch (error) {
      await process_.kill();
      throw error;
    }
    return process_;
  }

  /** Calls a method of the system. Rejects if it fails or its process ends. */
  async call<M extends keyof System>(
    method: M,
    ...args: Parameters<System[M]>
  ): Promise<Awaited<ReturnType<System[M]>>> {
    this.requests += 1;
    const number = this.requests;
    const answer = this.answerTo(number);
    this.child.send({ number, method, args } satisfies Request);
    return (await answer) as Awaited<ReturnType<System[M]>>;
  }

  /** Ends the process without a chance to tidy up. */
  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.exited;
  }

  async close(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const late = setTimeout(() => this.child.kill('SIGKILL'), 10_000);
    await this.call('close').catch(() => undefined);
    this.child.kill('SIGTERM');
    await this.exited;
    clearTimeout(late);
  }

  /** The last lines that it printed. */
  lastWords(): string {
    return readFileSync(this.logFile, 'utf8').trim().split('\n').slice(-5).join('\n');
  }

  private async answerTo(number: number): Promise<unknown> {
    const reply = await new Promise<Reply>((resolve) => this.waiting.set(number, resolve));
    if (reply.error !== undefined) throw new Error(reply.error);
    return reply.result;
  }
}
