import { nextName, plainName } from '../driver/numbered-names';
import type { JournalPort, NamedContent } from '../driver/ports';
import { undefinedIfMissing } from './os-errors';
import { isUnsynced } from './published-files';
import type { RunFiles } from './run-files';

/** Entries that are read at the same time. */
const entriesAtATime = 64;

/** The journal of one run, a file for each entry. */
export class FileJournal implements JournalPort {
  constructor(private readonly run: RunFiles) {}

  async create(name: string, content: Uint8Array, later: boolean): Promise<boolean> {
    const { run } = this;
    const path = this.path(name);
    const won = await run.guarded(async () =>
      (await run.canPublish(later)) ? run.publish(path, content) : run.folder.create(path, content),
    );
    if (won && name !== plainName(name))
      process.emitWarning(`A power cut has torn the journal record ${plainName(path)}; ${name} takes its place`);
    return won;
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
    if (later && run.disk.onlyReads) return;
    if (later) run.unsynced.addFound(this.path(name), content);
    else await run.guarded(() => run.persist(this.path(name), content));
  }

  /**
   * Only a record that was never synced can be torn. It is also known by the one that follows it, because a copy of the
   * store may not show what was synced.
   */
  isTorn(name: string): Promise<boolean> {
    const { run } = this;
    const { files } = run.disk;
    return run.guarded(
      async () =>
        (await undefinedIfMissing(files.stat(this.path(nextName(name))))) !== undefined ||
        (await undefinedIfMissing(isUnsynced(run.disk, this.path(name)))) !== false,
    );
  }

  private path(name: string): string {
    return this.run.folder.file('journal', name);
  }
}
