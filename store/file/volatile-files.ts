import { join } from 'node:path';
import type { VolatileValues } from '../../domain/store';
import { type Disk, temporaryFolder } from './disk';
import { fileMode, folderMode, removeQuietly, temporaryName } from './file-system';
import { hasCode, mapOsErrors, undefinedIfMissing } from './os-errors';
import type { RunFolder } from './run-folder';

/**
 * Volatile values of a run as files that are replaced and never synced. They are written only into the folder of a run
 * that exists, so they never bring back a run that was deleted.
 */
export class VolatileFiles implements VolatileValues {
  constructor(
    private readonly disk: Disk,
    private readonly folder: RunFolder,
  ) {}

  async write(name: string, bytes: Uint8Array): Promise<void> {
    const { files } = this.disk;
    const temporary = join(temporaryFolder(this.folder.path), temporaryName());
    await this.guarded(async () => {
      try {
        await files.writeFile(temporary, bytes, { flag: 'wx', mode: fileMode });
        await this.rename(temporary, this.path(name));
      } catch (error) {
        await removeQuietly(files, temporary);
        throw error;
      }
    });
  }

  read(name: string): Promise<Uint8Array | undefined> {
    return this.guarded(() => undefinedIfMissing(this.disk.files.readFile(this.path(name))));
  }

  async remove(name: string): Promise<void> {
    await this.guarded(() => undefinedIfMissing(this.disk.files.unlink(this.path(name))));
  }

  private async rename(temporary: string, path: string): Promise<void> {
    const { files } = this.disk;
    try {
      await files.rename(temporary, path);
    } catch (error) {
      if (!hasCode(error, 'ENOENT')) throw error;
      await files.mkdir(this.folder.file(folderName), { mode: folderMode }).catch(() => undefined);
      await files.rename(temporary, path);
    }
  }

  private path(name: string): string {
    return this.folder.file(folderName, name);
  }

  private guarded<T>(work: () => Promise<T>): Promise<T> {
    return mapOsErrors(this.disk.root, () => this.disk.limit.run(work));
  }
}

const folderName = 'volatile';
