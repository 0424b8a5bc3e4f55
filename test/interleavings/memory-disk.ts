import type { Stats } from 'node:fs';
import { dirname } from 'node:path';
import type { FileSystem } from '../../store/file/disk';

interface Inode {
  bytes: Buffer;
  isSynced: boolean;
  readonly number: number;
}

interface Name {
  readonly inode: Inode;
  isSynced: boolean;
}

const osError = (code: string, path: string): Error =>
  Object.assign(new Error(`${code}: ${path}`), { code, path, syscall: 'memory' });

/** A disk in memory, which knows what a power cut would spare. Folders always survive. */
export class MemoryDisk {
  private names = new Map<string, Name>();
  private readonly folders = new Set<string>(['/']);
  private readonly open = new Map<number, Inode | string>();
  private created = 0;

  /**
   * Loses what is not synced: everything, or the second half of every content while names stay. What is left was read
   * from the disk, so the next power cut spares it.
   */
  cutPower(effect: 'lost' | 'torn'): void {
    for (const [path, name] of [...this.names]) {
      const { inode } = name;
      if (inode.isSynced && name.isSynced) continue;
      if (effect === 'lost') this.names.delete(path);
      else if (!inode.isSynced) inode.bytes = inode.bytes.subarray(0, Math.floor(inode.bytes.length / 2));
      inode.isSynced = name.isSynced = true;
    }
  }

  /** The files below a folder, with everything that can make a difference. */
  describe(folder: string): string {
    const files = [...this.names].filter(([path]) => dirname(path) === folder);
    return JSON.stringify(
      files.map(([path, { inode, isSynced }]) => [
        path,
        String(inode.bytes),
        inode.isSynced,
        isSynced,
        this.linksOf(inode),
      ]),
    );
  }

  linksOf(inode: Inode): number {
    return [...this.names.values()].filter((name) => name.inode === inode).length;
  }

  /** What the path refers to, or what is open: a file with several names counts as the first of them. */
  pathOf(place: string | number): string {
    const opened = typeof place === 'number' ? this.open.get(place) : place;
    if (typeof opened === 'string') {
      const inode = this.names.get(opened)?.inode;
      return inode === undefined ? opened : this.mainName(inode, opened);
    }
    return opened === undefined ? '' : this.mainName(opened, '');
  }

  private mainName(inode: Inode, otherwise: string): string {
    const all = [...this.names].filter(([, name]) => name.inode === inode).map(([path]) => path);
    return all.find((path) => !path.includes('/tmp/')) ?? all[0] ?? otherwise;
  }

  /** The disk as one process sees it. Before each call that another process could notice, `turn` is awaited. */
  files(turn: (call: string, place: string) => Promise<void>): FileSystem {
    const take = async <T>(call: string, place: string | number, work: () => T): Promise<T> => {
      await turn(call, this.pathOf(place));
      return work();
    };
    return {
      writeFile: (path, bytes, { flush }) =>
        take('writeFile', path, () => void this.write(path, bytes, flush === true)),
      create: (path) => take('create', path, () => this.opened(this.write(path, new Uint8Array(), false))),
      write: (descriptor, bytes) =>
        take('write', descriptor, () => {
          this.writeTo(descriptor, bytes);
        }),
      readFile: (path) => take('readFile', path, () => this.inode(path).bytes),
      open: (path) => take('open', path, () => this.opened(this.names.get(path)?.inode ?? path)),
      fsync: (descriptor) =>
        take('fsync', descriptor, () => {
          this.sync(descriptor);
        }),
      close: (descriptor) => take('close', descriptor, () => void this.open.delete(descriptor)),
      stat: (path) => take('stat', path, () => this.stats(path)),
      statfs: (path) => take('statfs', path, () => ({ type: 0xef53 })),
      mkdir: (path) =>
        take('mkdir', path, () => {
          this.mkdir(path);
        }),
      readdir: ((path: string) => take('readdir', path, () => this.list(path))) as FileSystem['readdir'],
      rename: (from, to) =>
        take('rename', to, () => {
          this.rename(from, to);
        }),
      link: (existing, added) =>
        take('link', added, () => {
          this.link(existing, added);
        }),
      unlink: (path) =>
        take('unlink', path, () => {
          this.unlink(path);
        }),
      rm: (path) => take('rm', path, () => void this.names.delete(path)),
    };
  }

  private write(path: string, bytes: Uint8Array, isSynced: boolean): Inode {
    if (this.names.has(path)) throw osError('EEXIST', path);
    if (!this.folders.has(dirname(path))) throw osError('ENOENT', path);
    const inode = { bytes: Buffer.from(bytes), isSynced, number: ++this.created };
    this.names.set(path, { inode, isSynced: false });
    return inode;
  }

  private writeTo(descriptor: number, bytes: Uint8Array): void {
    const what = this.open.get(descriptor);
    if (what === undefined || typeof what === 'string') throw osError('EBADF', String(descriptor));
    what.bytes = Buffer.from(bytes);
  }

  private opened(what: Inode | string): number {
    const descriptor = ++this.created;
    this.open.set(descriptor, what);
    return descriptor;
  }

  private inode(path: string): Inode {
    const name = this.names.get(path);
    if (name === undefined) throw osError('ENOENT', path);
    return name.inode;
  }

  private sync(descriptor: number): void {
    const what = this.open.get(descriptor);
    if (what === undefined) throw osError('EBADF', String(descriptor));
    if (typeof what !== 'string') what.isSynced = true;
    else for (const [path, name] of this.names) if (dirname(path) === what) name.isSynced = true;
  }

  private stats(path: string): Stats {
    if (this.folders.has(path)) return { isDirectory: () => true, mtimeMs: 0 } as Stats;
    const inode = this.inode(path);
    const { number: ino, bytes } = inode;
    const facts = { ino, size: bytes.length, nlink: this.linksOf(inode), dev: 1, ctimeMs: 0, mtimeMs: 0 };
    return { ...facts, isDirectory: () => false } as Stats;
  }

  private mkdir(path: string): void {
    if (this.folders.has(path)) throw osError('EEXIST', path);
    if (!this.folders.has(dirname(path))) throw osError('ENOENT', path);
    this.folders.add(path);
  }

  private list(path: string): string[] {
    const all = [...this.names.keys(), ...this.folders].filter((each) => each !== '/' && dirname(each) === path);
    return all.map((each) => each.slice(path.length + (path === '/' ? 0 : 1)));
  }

  private rename(from: string, to: string): void {
    const inode = this.inode(from);
    this.names.delete(from);
    this.names.set(to, { inode, isSynced: false });
  }

  protected link(existing: string, added: string): void {
    const inode = this.inode(existing);
    if (this.names.has(added)) throw osError('EEXIST', added);
    this.names.set(added, { inode, isSynced: false });
  }

  /** Gives a name to a file, also if another one has it: what a link must not do. */
  protected replace(existing: string, added: string): void {
    this.names.set(added, { inode: this.inode(existing), isSynced: false });
  }

  private unlink(path: string): void {
    if (!this.names.delete(path)) throw osError('ENOENT', path);
  }
}

/** A disk that breaks the promise of the journal: the last writer of a name wins, not the first. */
export class ReplacingDisk extends MemoryDisk {
  protected override link(existing: string, added: string): void {
    this.replace(existing, added);
  }
}
