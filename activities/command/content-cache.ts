import { randomUUID } from 'node:crypto';
import { constants, copyFile, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hasCode } from '../../store/file/os-errors';

/** Maximum bytes of the cache. Beyond, it is emptied. */
const maxCacheBytes = 1024 ** 3;

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

  constructor(
    private readonly folder: string,
    private readonly maxBytes: number = maxCacheBytes,
  ) {}

  /** Creates the file `target`, which must not exist. `read` returns the content if the cache does not have it. */
  async copyTo(target: string, file: CachedFile, read: () => Promise<Uint8Array>): Promise<void> {
    const cached = this.pathOf(file);
    try {
      await copy(cached, target);
    } catch (error) {
      if (!hasCode(error, 'ENOENT')) throw error;
      const content = await read();
      await writeFile(target, content, { flag: 'wx', mode: modeOf(file) });
      await this.add(cached, content, file);
    }
  }

  private async add(cached: string, content: Uint8Array, file: CachedFile): Promise<void> {
    if (file.bytes > this.maxBytes / 4) return;
    this.bytes += file.bytes;
    if (this.bytes > this.maxBytes) {
      this.bytes = file.bytes;
      await rm(this.folder, { recursive: true, force: true });
    }
    await mkdir(dirname(cached), { recursive: true, mode: 0o700 });
    const temporary = `${cached}.${randomUUID()}`;
    // Another call may have emptied the cache since. Then the next one that needs the file adds it.
    await writeFile(temporary, content, { flag: 'wx', mode: modeOf(file) }).catch(ignoreMissing);
    await rename(temporary, cached).catch(ignoreMissing);
  }

  /** The mode is part of the name, because a copy has the mode of its original. */
  private pathOf({ hash, executable }: CachedFile): string {
    return join(this.folder, hash.slice(0, 2), executable ? `${hash}.x` : hash);
  }
}

function copy(from: string, to: string): Promise<void> {
  return copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
}

function modeOf({ executable }: CachedFile): number {
  return executable ? 0o755 : 0o644;
}

function ignoreMissing(error: unknown): void {
  if (!hasCode(error, 'ENOENT')) throw error;
}
