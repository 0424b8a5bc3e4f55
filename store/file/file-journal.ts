import { join } from 'node:path';
import type { JournalPort, NamedContent } from '../driver/ports';
import { temporaryFolder } from './disk';
import { undefinedIfMissing } from './os-errors';
import { isUnsynced } from './published-files';
import type { RunFiles } from './run-files';

/** Entries that are read at the same time. */
const entriesAtATime = 64;

/** The journal of one run, a file for each entry. */
export class FileJournal implements JournalPort {
  constructor(private readonly run: RunFiles) {}

  create(name: string, content: Uint8Array, later: boolean): Promise<boolean> {
    const { run } = this;
    const path = this.path(name);
    return run.guarded(async () =>
      (await run.canPublish(later)) ? run.publish(path, content) : run.folder.create(path, content),
    );
  }

  read(name: string): Promise<Uint8Array | undefined> {
    return this.run.guarded(() => this.run.read(this.path(name)));
  }

  async *list(prefix: string, except: ReadonlySet<string>): AsyncGenerator<readonly NamedContent[], void, undefined> {
    const { run } = this;
    const { files } = run.disk;
    const names = (await run.guarded(() => run.unlessMissing(() => files.readdir(run.folder.file('journal'))))) ?? [];
    const wanted = names.filter((name) => name.startsWith(prefix) && !except.has(name));
    for (let from = 0; from < wanted.length; from += entriesAtATime) {
      const some = wanted.slice(from, from + entriesAtATime);
      yield await Promise.all(
        some.map(async (name) => ({ name, content: await run.guarded(() => files.readFile(this.path(name))) })),
      );
    }
  }

  async adopt(name: string, content: Uint8Array, later: boolean): Promise<void> {
    const { run } = this;
    if (later) run.unsynced.addFound(this.path(name), content);
    else await run.guarded(() => run.persist(this.path(name), content));
  }

  isTorn(found: NamedContent, remove: boolean): Promise<boolean> {
    const { run } = this;
    return run.guarded(() => (remove ? this.setAside(found) : isUnsynced(run.disk.files, this.path(found.name))));
  }

  /**
   * Moves a damaged entry out of the way if a power cut has torn it. That can only happen to one that was never synced,
   * so nothing depends on it. Returns whether it was one.
   */
  private async setAside({ name, content }: NamedContent): Promise<boolean> {
    const { files } = this.run.disk;
    const path = this.path(name);
    const aside = join(temporaryFolder(this.run.folder.path), `${name}.torn`);
    if ((await undefinedIfMissing(isUnsynced(files, path))) === false) return false;
    const moved = await undefinedIfMissing(files.rename(path, aside).then(() => files.readFile(aside)));
    // Another process was faster, and has already written the entry again.
    if (moved?.equals(content) === false) await files.link(aside, path);
    else if (moved !== undefined)
      process.emitWarning(`A power cut has torn the journal record ${path}; it counts as absent`);
    return true;
  }

  private path(name: string): string {
    return this.run.folder.file('journal', name);
  }
}
