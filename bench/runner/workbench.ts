import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BenchEnvironment, startEnvironment } from '../support/environment';

/** Starts what benchmarks need, and removes it afterwards. */
export class Workbench {
  private environment: Promise<BenchEnvironment> | undefined;
  private readonly folders: string[] = [];
  private ended = false;

  /** With `shared`, all benchmarks use the same server. Otherwise each has its own, with an empty database. */
  constructor(private readonly shared: boolean) {}

  async environmentFor(script: string): Promise<BenchEnvironment> {
    if (this.ended) throw new Error('Interrupted');
    this.environment ??= this.folder().then(startEnvironment);
    const environment = await this.environment;
    await environment.play(script);
    return environment;
  }

  async folder(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'baton-bench-'));
    this.folders.push(folder);
    return folder;
  }

  /**
   * Stops what the last benchmark has started. Its files stay until all have ended: after many were deleted, ext4 takes ten
   * times as long to create one for a minute or more.
   */
  async tidy(): Promise<void> {
    const environment = await this.environment?.catch(() => undefined);
    await environment?.stopWorkers();
    if (!this.shared) await this.stop();
  }

  /** Whether nothing may be started any more. */
  get hasEnded(): boolean {
    return this.ended;
  }

  /** Like `close`, and starts nothing afterwards. */
  end(): Promise<void> {
    this.ended = true;
    return this.close();
  }

  /** Stops and removes everything. */
  async close(): Promise<void> {
    await this.stop();
    const folders = this.folders.splice(0);
    await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
  }

  private async stop(): Promise<void> {
    const { environment } = this;
    this.environment = undefined;
    await (await environment?.catch(() => undefined))?.close();
  }
}
