import { randomUUID } from 'node:crypto';
import { constants, copyFileSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { copyFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hasCode } from '../../store/file/os-errors';

/** Maximum bytes of the cache. Beyond, it is emptied. */
const maxCacheBytes = 1024 ** 3;
/** Files up to this size are copied at once: handing the work to another thread would take longer. */
const smallBytes = 64 * 1024;

/** A file of a workspace whose content is copied to a scratch folder. */
export interface CachedFile {
  readonly hash: string;
  readonly bytes: number;
  readonly executable: boolean;
}

/**
 * Contents of workspace files as local files, by hash, because reading them from the store takes longer. A scratch folder
 * gets copies, which share their blocks with the cache where the file system can do that. It never gets a hard link:
 * through one, a command could change what later commands get.
 */
export class ContentCache {
  private bytes = 0;
  private readonly folders = new Set<string>();

  constructor(
    private readonly folder: string,
    private readonly maxBytes: number = maxCacheBytes,
  ) {}

  /** Creates the file `target`, which must not exist. `read` returns the content if the cache does not have it. */
  async copyTo(target: string, file: CachedFile, read: () => Promise<Uint8Array>): Promise<void> {
    const cached = this.pathOf(file);
    try {
      await copy(cached, target, file);
    } catch (error) {
      if (!hasCode(error, 'ENOENT')) throw error;
      const content = await read();
      await writeFile(target, content, { flag: 'wx', mode: modeOf(file) });
      await this.makeRoom(file);
      this.add(cached, content, file);
    }
  }

  /** Empties the cache if the file does not fit. */
  private async makeRoom({ bytes }: CachedFile): Promise<void> {
    this.bytes += bytes;
    if (this.bytes <= this.maxBytes) return;
    this.bytes = bytes;
    await rm(this.folder, { recursive: true, force: true });
    this.folders.clear();
  }

  /** A file gets its name when it is complete, so that nobody copies a part of it. */
  private add(cached: string, content: Uint8Array, file: CachedFile): void {
    if (file.bytes > this.maxBytes / 4) return;
    const folder = dirname(cached);
    if (!this.folders.has(folder)) mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.folders.add(folder);
    const temporary = `${cached}.${randomUUID()}`;
    writeFileSync(temporary, content, { flag: 'wx', mode: modeOf(file) });
    renameSync(temporary, cached);
  }

  /** The mode is part of the name, because a copy has the mode of its original. */
  private pathOf({ hash, executable }: CachedFile): string {
    return join(this.folder, hash.slice(0, 2), executable ? `${hash}.x` : hash);
  }
}

/** Shares the blocks of the original if the file system can do that, and copies them if not. */
const copyMode = constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE;

async function copy(from: string, to: string, { bytes }: CachedFile): Promise<void> {
  if (bytes > smallBytes) await copyFile(from, to, copyMode);
  else copyFileSync(from, to, copyMode);
}

function modeOf({ executable }: CachedFile): number {
  return executable ? 0o755 : 0o644;
}
