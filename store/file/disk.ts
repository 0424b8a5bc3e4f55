import { dirname, join, sep } from 'node:path';
import { ConcurrencyLimit } from '../../domain/kernel';
import { fileMode, type FileSystem, folderMode, type Place, removeQuietly, temporaryName } from './file-system';
import { hasCode } from './os-errors';
import { PublishedFiles } from './published-files';
import { SpareFiles } from './spare-files';
import { WriteProbe } from '../driver/write-probe';
import { growingCache } from '../growing-cache';

export { blockingFiles, type FileSystem, realFiles } from './file-system';

/** Maximum concurrent file operations. Thousands of writes at once would exhaust the process's file descriptors. */
const operationsAtATime = 64;

/** The folder of an open store, and the helpers that read and write it. One per open store. */
export interface Disk {
  readonly root: string;
  readonly files: FileSystem;
  /** Where it is: on this machine, as soon as a file could be published there. */
  readonly place: Place;
  readonly folders: DurableFolders;
  readonly limit: ConcurrencyLimit;
  readonly probe: WriteProbe;
  readonly published: PublishedFiles;
  readonly spares: SpareFiles;
  /** Whether nothing is written that depends on what was found. */
  readonly onlyReads: boolean;
}

/** Creates the disk access for one store folder. */
export function createDisk(root: string, files: FileSystem, onlyReads = false): Disk {
  const published = new PublishedFiles(root, files);
  const { place } = published;
  return {
    root,
    files,
    place,
    onlyReads,
    folders: new DurableFolders(files, place),
    limit: new ConcurrencyLimit(operationsAtATime),
    probe: new WriteProbe(() => probeWriting(root, files)),
    published,
    spares: new SpareFiles(files),
  };
}

/** Folder that contains one folder per run. */
export const runsFolder = (root: string): string => join(root, 'runs');
/** Folder of runs that are being deleted: a run is renamed into it in one step, then removed file by file. */
export const deletedFolder = (root: string): string => join(root, 'deleted');
/** Folder of a run or a store for files that are being written. */
export const temporaryFolder = (folder: string): string => join(folder, 'tmp');
/** File that identifies the folder as a store. */
export const manifestFile = (root: string): string => join(root, 'store.json');

/** As large as most records. A disk with less space left counts as full. */
const probeBytes = 64 * 1024;

/** Writes a file and removes it. It is not synced, because a full or read-only disk refuses the write itself. */
async function probeWriting(root: string, files: FileSystem): Promise<void> {
  const path = join(root, temporaryName());
  try {
    await files.writeFile(path, Buffer.alloc(probeBytes), { flag: 'wx', mode: fileMode });
  } finally {
    await removeQuietly(files, path);
  }
}

/** Error codes of file systems that cannot sync a folder. On those, the rename is as durable as possible. */
const cannotSync = [
  'EINVAL',
  'ENOTSUP',
  'ENOSYS',
  ...(process.platform === 'win32' ? ['EPERM', 'EISDIR', 'EACCES'] : []),
];

/** Creates folders and syncs them to the disk, each no more often than needed. */
class DurableFolders {
  private readonly made = growingCache<true>(10_000);
  /** Folders that are being created. Promises are not kept longer: each holds the activity in which it was created. */
  private readonly making = new Map<string, Promise<void>>();
  /** Folders whose directory entry in the parent folder is known to be on the disk. */
  private readonly durable = growingCache<true>(10_000);
  private readonly running = new Map<string, Promise<void>>();
  private readonly waiting = new Map<string, Promise<void>>();

  constructor(
    private readonly files: FileSystem,
    private readonly place: Place,
  ) {}

  /**
   * Creates the folder and its ancestors below `top`. Never `top` itself: an unmounted volume must not come back empty.
   */
  async ensure(path: string, top: string): Promise<void> {
    if (path === top) return;
    await this.ensure(dirname(path), top);
    if (this.made.has(path)) return;
    await (this.making.get(path) ?? this.make(path));
  }

  /** Returns when the folder, and everything renamed or linked into it so far, would survive a power cut. */
  async persist(path: string, top: string): Promise<void> {
    const syncs = [this.sync(path)];
    for (let folder = path; folder !== top; folder = dirname(folder)) {
      if (!this.durable.has(folder)) syncs.push(this.persistName(folder));
    }
    await Promise.all(syncs);
  }

  /**
   * Drops what is cached about the folder and everything below it. Call this when the folder turns out to be missing.
   */
  forget(path: string): void {
    for (const known of [this.made, this.making, this.durable]) {
      for (const key of [...known.keys()]) if (key === path || key.startsWith(path + sep)) known.delete(key);
    }
  }

  private async make(path: string): Promise<void> {
    const making = this.files.mkdir(path, { mode: folderMode }).then(noop, (error: unknown) => {
      if (!hasCode(error, 'EEXIST')) throw error;
    });
    this.making.set(path, making);
    const isForgotten = (): boolean => this.making.get(path) !== making;
    try {
      await making;
      if (!isForgotten()) this.made.set(path, true);
    } finally {
      if (!isForgotten()) this.making.delete(path);
    }
  }

  private async persistName(folder: string): Promise<void> {
    await this.sync(dirname(folder));
    this.durable.set(folder, true);
  }

  /**
   * Syncs a folder. Callers share a sync that has not started yet; a running sync may have started before the caller's
   * change.
   */
  sync(path: string): Promise<void> {
    const joined = this.waiting.get(path);
    if (joined) return joined;
    const before = this.running.get(path) ?? Promise.resolve();
    const next = before.then(noop, noop).then(() => {
      this.waiting.delete(path);
      const sync = this.syncNow(path).finally(() => {
        if (this.running.get(path) === sync) this.running.delete(path);
      });
      this.running.set(path, sync);
      return sync;
    });
    this.waiting.set(path, next);
    return next;
  }

  private async syncNow(path: string): Promise<void> {
    try {
      const folder = await this.files.open(path, 'r', this.place);
      try {
        await this.files.fsync(folder);
      } finally {
        await this.files.close(folder);
      }
    } catch (error) {
      if (!hasCode(error, ...cannotSync)) throw error;
    }
  }
}

function noop(): void {
  // Nothing is left to do. The failure of a previous sync was reported to its own callers and does not affect the next one.
}
