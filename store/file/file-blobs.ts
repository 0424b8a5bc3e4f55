import type { BlobPort } from '../driver/ports';
import { undefinedIfMissing } from './os-errors';
import type { RunFiles } from './run-files';

/** The blobs of one run, each a file that is named by its hash. */
export class FileBlobs implements BlobPort {
  constructor(private readonly run: RunFiles) {}

  async write(name: string, content: Uint8Array, later: boolean): Promise<void> {
    const { run } = this;
    const path = this.path(name);
    await run.guarded(async () => {
      if ((await run.canPublish(later)) && (await run.publish(path, content))) return;
      // Compares the bytes instead of checking only that the file exists, so a damaged copy is replaced by the good
      // one.
      if (!(await this.holds(path, content))) await run.folder.replace(path, content);
      else if (later) run.unsynced.addFound(path, content);
      else await run.persist(path, content);
    });
  }

  read(name: string): Promise<Uint8Array | undefined> {
    return this.run.guarded(() => this.run.read(this.path(name)));
  }

  async size(name: string): Promise<number | undefined> {
    const { run } = this;
    const found = await run.guarded(() => run.unlessMissing(() => run.disk.files.stat(this.path(name))));
    return found?.size;
  }

  async *names(): AsyncGenerator<readonly string[], void, undefined> {
    const { run } = this;
    yield (await run.guarded(() => undefinedIfMissing(run.disk.files.readdir(run.folder.file('blobs'))))) ?? [];
  }

  private async holds(path: string, bytes: Uint8Array): Promise<boolean> {
    const stored = await undefinedIfMissing(this.run.disk.files.readFile(path));
    return stored?.equals(bytes) ?? false;
  }

  private path(name: string): string {
    return this.run.folder.file('blobs', name);
  }
}
