import { join } from 'node:path';
import { fileMode, type FileSystem, removeQuietly, temporaryName } from './file-system';

/** Maximum spare files of a process, which are all open, and how long one is kept, in milliseconds. */
const maxSpare = 64;
const keptMs = 60_000;

/** A new file that is open, and its temporary name. */
export interface NewFile {
  readonly descriptor: number;
  readonly temporary: string;
}

interface SpareFile {
  readonly folder: string;
  readonly madeAt: number;
  /** Undefined if it could not be created. Whoever needs a file learns why. */
  readonly file: Promise<NewFile | undefined>;
}

/**
 * Empty files that are created before somebody needs them: creating one may have to wait for the disk, also on a machine
 * that is idle otherwise. Those that a process leaves behind are removed like all temporary files.
 */
export class SpareFiles {
  /** Oldest first. */
  private readonly spare = new Set<SpareFile>();
  private timer: NodeJS.Timeout | undefined;
  /** Number of files to create, by folder. */
  private readonly wanted = new Map<string, number>();
  private begun: NodeJS.Immediate | undefined;

  constructor(private readonly files: FileSystem) {}

  /** Creates files in a folder for temporary files, as soon as this thread has nothing else to do. */
  create(folder: string, count: number): void {
    this.wanted.set(folder, (this.wanted.get(folder) ?? 0) + count);
    this.begun ??= setImmediate(() => {
      this.createWanted();
    });
  }

  /** Returns a file that was created in this folder; undefined if there is none. It belongs to the caller. */
  async take(folder: string): Promise<NewFile | undefined> {
    for (const spare of this.spare) {
      if (spare.folder !== folder) continue;
      this.spare.delete(spare);
      return spare.file;
    }
    // Whoever comes before it is created does not need it any more.
    const wanted = this.wanted.get(folder) ?? 0;
    if (wanted > 0) this.wanted.set(folder, wanted - 1);
    return undefined;
  }

  /** Removes the files in this folder. Call it when the folder turns out to be missing. */
  forget(folder: string): void {
    for (const spare of this.spare) if (spare.folder === folder) this.remove(spare);
  }

  private createWanted(): void {
    this.begun = undefined;
    for (const [folder, count] of this.wanted)
      for (let made = 0; made < count; made += 1)
        this.spare.add({ folder, madeAt: performance.now(), file: this.createOne(folder) });
    this.wanted.clear();
    for (const spare of this.spare) if (this.spare.size > maxSpare) this.remove(spare);
    this.timer ??= setTimeout(() => {
      this.removeOld();
    }, keptMs).unref();
  }

  private async createOne(folder: string): Promise<NewFile | undefined> {
    const temporary = join(folder, temporaryName());
    try {
      return { descriptor: await this.files.create(temporary, { mode: fileMode }), temporary };
    } catch {
      return undefined;
    }
  }

  private removeOld(): void {
    const since = performance.now() - keptMs;
    for (const spare of this.spare) if (spare.madeAt <= since) this.remove(spare);
    const [oldest] = this.spare;
    this.timer =
      oldest &&
      setTimeout(() => {
        this.removeOld();
      }, oldest.madeAt - since).unref();
  }

  private remove(spare: SpareFile): void {
    this.spare.delete(spare);
    void spare.file.then(async (file) => {
      if (file === undefined) return;
      await this.files.close(file.descriptor).catch(() => undefined);
      await removeQuietly(this.files, file.temporary);
    });
  }
}
