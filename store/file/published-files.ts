import type { FileSystem, Place } from './file-system';
import { canPublish } from './publish-probe';
import type { NewFile } from './spare-files';

/**
 * Maximum files that are published and still open. A process has about a thousand descriptors, and needs others for its
 * connections.
 */
const maxOpen = 256;

const nothing = new Uint8Array();

/** A file system, and where it is. */
interface PlacedFiles {
  readonly files: FileSystem;
  readonly place: Place;
}

/**
 * A file that has its name, but that a power cut might tear or lose. As long as it was not synced it has a second name
 * in the folder for temporary files: that is how anyone who finds it can tell.
 */
export class PublishedFile {
  private synced: Promise<boolean> | undefined;
  private isSettled = false;

  /** `own` is how this process wrote the file, which keeps its temporary name until it is synced; omitted if it was found. */
  constructor(
    private readonly disk: PlacedFiles,
    readonly target: string,
    private content: Uint8Array,
    private readonly own?: NewFile,
  ) {}

  /**
   * Syncs the content, at most once. Returns whether it is on the disk. After a sync that failed it is not, even if
   * another one succeeds: the system forgets what it could not write.
   */
  sync(): Promise<boolean> {
    this.synced ??= (this.own === undefined ? this.syncFound() : this.syncAndClose(this.own.descriptor)).then(
      () => {
        this.content = nothing;
        return true;
      },
      () => false,
    );
    return this.synced;
  }

  /** The content, as long as it is not on the disk. */
  get bytes(): Uint8Array {
    return this.content;
  }

  /** Marks the file as synced, once. Call it when its folder is synced as well. */
  settle(): void {
    if (this.own === undefined || this.isSettled) return;
    // Several flushes may have waited for the same file.
    this.isSettled = true;
    const { files, place } = this.disk;
    // Nothing waits for it: without the mark, the file is synced once more when it is found.
    void files.unlink(this.own.temporary, place).catch(ignore);
  }

  private async syncFound(): Promise<void> {
    const { files, place } = this.disk;
    if (await isUnsynced(this.disk, this.target)) await this.syncAndClose(await files.open(this.target, 'r', place));
  }

  private async syncAndClose(descriptor: number): Promise<void> {
    const { files } = this.disk;
    try {
      await files.fsync(descriptor);
    } finally {
      void files.close(descriptor).catch(ignore);
    }
  }
}

/** Whether the file may have been published without a sync, so that a power cut might have torn it. */
export async function isUnsynced({ files, place }: PlacedFiles, target: string): Promise<boolean> {
  return (await files.stat(target, place)).nlink > 1;
}

function ignore(): void {
  // A file that can't be closed or removed harms nothing, and was synced before.
}

/** The files that a store has published without a sync, as far as they concern the whole process. */
export class PublishedFiles {
  private readonly open = new Set<PublishedFile>();
  /** Files whose sync failed and that were not written anew yet, by the folder of their run. */
  private readonly lost = new Map<string, Set<PublishedFile>>();
  private possible: Promise<boolean> | undefined;
  /** Where the store is: it counts as being elsewhere until the first file is published. */
  readonly place: { local: boolean } = { local: false };

  constructor(
    private readonly root: string,
    private readonly files: FileSystem,
  ) {}

  /** Whether a file that is published without a sync is there for every process that uses the store. */
  isPossible(): Promise<boolean> {
    this.possible ??= this.findOut().catch((error: unknown) => {
      this.possible = undefined;
      throw error;
    });
    return this.possible;
  }

  private async findOut(): Promise<boolean> {
    return (this.place.local = await canPublish(this.root, this.files));
  }

  /** Adds a file that was just written. If too many are open, returns only when the oldest is synced and closed. */
  async add(file: PublishedFile): Promise<void> {
    this.open.add(file);
    const [oldest] = this.open;
    if (this.open.size <= maxOpen || oldest === undefined) return;
    this.open.delete(oldest);
    await oldest.sync();
  }

  /** Returns the files of a run that no flush could make durable so far. */
  failedIn(run: string): readonly PublishedFile[] {
    return [...(this.lost.get(run) ?? [])];
  }

  /** Notes that a file is on the disk. */
  done(run: string, file: PublishedFile): void {
    this.open.delete(file);
    const lost = this.lost.get(run);
    if (lost?.delete(file) === true && lost.size === 0) this.lost.delete(run);
    file.settle();
  }

  /** Leaves a file whose sync failed to the next flush in its run, whichever object makes it. */
  failed(run: string, file: PublishedFile): void {
    this.open.delete(file);
    this.lost.set(run, (this.lost.get(run) ?? new Set()).add(file));
  }
}
