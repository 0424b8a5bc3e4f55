import { stat, truncate, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type FileSystem, realFiles } from '../../../store/file/disk';
import { undefinedIfMissing } from '../../../store/file/os-errors';

const osError = (code: string): Error => Object.assign(new Error(`${code}: made up`), { code, syscall: 'fsync' });

/** A file system that knows what a power cut would spare. Instead of syncing, it remembers what should be synced. */
export class WatchedFiles {
  /** Paths of the files that were synced, in order. */
  readonly syncs: string[] = [];
  /** While these are set, no file can be synced, or none can be written durably. */
  failing = false;
  failingWrites = false;
  /** Files and folders that are open, and the maximum so far. */
  open = 0;
  mostOpen = 0;
  /** Kind of the file system, if it is not the real one. */
  type: number | undefined;
  private readonly paths = new Map<number, string>();
  /** Inodes whose content is on the disk, and names that are there. */
  private readonly contents = new Set<number>();
  private readonly names = new Set<string>();
  /** Names that were given since power was last cut, by folder. */
  private readonly given = new Map<string, Set<string>>();

  readonly files: FileSystem = {
    ...realFiles,
    statfs: async (path) => (this.type === undefined ? realFiles.statfs(path) : { type: this.type }),
    writeFile: async (path, bytes, { flush, ...options }) => {
      if (this.failingWrites) throw osError('EIO');
      await realFiles.writeFile(path, bytes, options);
      if (flush === true) this.contents.add((await stat(path)).ino);
    },
    create: async (path, options) => this.opened(path, await realFiles.create(path, options)),
    open: async (path, flags) => this.opened(path, await realFiles.open(path, flags)),
    close: async (descriptor) => {
      this.open -= 1;
      await realFiles.close(descriptor);
    },
    fsync: (descriptor) => this.sync(this.paths.get(descriptor) ?? ''),
    rename: async (from, to) => {
      await realFiles.rename(from, to);
      this.give(to);
    },
    link: async (from, to) => {
      await realFiles.link(from, to);
      this.give(to);
    },
  };

  /** Whether the file would survive a power cut, under its name and with its content. */
  async isDurable(path: string): Promise<boolean> {
    return this.names.has(path) && this.contents.has((await stat(path)).ino);
  }

  /** Cuts the power: what was written since the last cut and not synced is lost, or half of it is. */
  async cutPower(effect: 'lost' | 'torn'): Promise<void> {
    for (const path of [...this.given.values()].flatMap((names) => [...names])) {
      // The program may be removing a temporary name at this moment.
      await undefinedIfMissing(this.lose(path, effect));
    }
    this.given.clear();
  }

  private async lose(path: string, effect: 'lost' | 'torn'): Promise<void> {
    const { ino, size } = await stat(path);
    if (await this.isDurable(path)) return;
    if (effect === 'lost') await unlink(path);
    else if (!this.contents.has(ino)) await truncate(path, Math.floor(size / 2));
  }

  private give(path: string): void {
    const folder = dirname(path);
    this.names.delete(path);
    this.given.set(folder, (this.given.get(folder) ?? new Set()).add(path));
  }

  private async sync(path: string): Promise<void> {
    const { ino, ...found } = await stat(path).then((stats) => ({ ino: stats.ino, isFolder: stats.isDirectory() }));
    if (found.isFolder) {
      for (const name of this.given.get(path) ?? []) this.names.add(name);
      return;
    }
    this.syncs.push(path);
    if (this.failing) throw osError('EIO');
    this.contents.add(ino);
  }

  private opened(path: string, descriptor: number): number {
    this.paths.set(descriptor, path);
    this.open += 1;
    this.mostOpen = Math.max(this.mostOpen, this.open);
    return descriptor;
  }
}
