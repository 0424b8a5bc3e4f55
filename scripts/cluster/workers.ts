import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { startWorkerProcess, type WorkerProcess } from '../../cli/service/worker';
import type { Cluster } from './cluster';

const program = join(__dirname, '..', '..', 'dist', 'worker', 'main.js');

/** Workers in processes of their own, each with an empty disk: nothing that one of them wrote to a file reaches another. */
export class Workers {
  /** Promises, so that a worker that is still starting is ended too. */
  private readonly running: Promise<WorkerProcess>[] = [];

  constructor(
    private readonly cluster: Cluster,
    private readonly env: Readonly<Record<string, string>>,
  ) {}

  async start(count: number): Promise<void> {
    for (let index = 0; index < count; index += 1) this.running.push(this.one());
    await Promise.all(this.running);
  }

  /** Kills a worker, like a crash of its machine, and starts another one on a new, empty disk. */
  async replace(index: number): Promise<number> {
    const dead = await this.running.splice(index % this.running.length, 1)[0];
    dead?.kill('SIGKILL');
    await dead?.ended;
    const next = this.one();
    this.running.push(next);
    await next;
    return dead?.pid ?? 0;
  }

  /** The processes that are running. */
  async pids(): Promise<number[]> {
    return (await Promise.all(this.running)).map(({ pid }) => pid);
  }

  async close(): Promise<void> {
    const end = async (worker: WorkerProcess): Promise<void> => {
      worker.kill('SIGTERM');
      await worker.ended;
    };
    await Promise.all(this.running.splice(0).map((starting) => starting.then(end, () => undefined)));
  }

  private async one(): Promise<WorkerProcess> {
    const disk = await mkdtemp(join(this.cluster.folder, 'worker-'));
    const own = { HOME: disk, TMPDIR: disk, BATON_STATE_DIR: join(disk, 'state') };
    // A dead worker should be noticed soon.
    const settings = { BATON_STICKY_TIMEOUT_MS: '1000', BATON_LOG_LEVEL: 'ERROR', BATON_SANDBOX: 'off' };
    return startWorkerProcess({
      env: { ...this.cluster.env, ...settings, ...this.env, ...own },
      isQuiet: true,
      program,
    });
  }
}
