import { dirname, join } from 'node:path';
import { decodeUtf8 } from '../utf8';
import { removeQuietly, runsFolder, temporaryName, writeDurably, type Disk } from './disk';
import { assertStoreMounted } from './manifest';
import { hasCode, undefinedIfMissing } from './os-errors';
import { isHashed, runFolderName, runIdFromFolderName } from './run-folder-name';

const idFile = 'run-id';

/** Folder for files that are being written. */
export const temporaryFolder = (folder: string): string => join(folder, 'tmp');

/** The folder of one run. A file written through it is either complete and on the disk, or absent. */
export class RunFolder {
  readonly path: string;
  private readonly top: string;
  private readonly needsId: boolean;

  constructor(
    private readonly disk: Disk,
    private readonly storeId: string,
    readonly runId: string,
  ) {
    this.top = runsFolder(disk.root);
    const name = runFolderName(runId);
    this.path = join(this.top, name);
    this.needsId = isHashed(name);
  }

  file(...names: readonly string[]): string {
    return join(this.path, ...names);
  }

  /** Writes the bytes to `target`, replacing an existing file. */
  async replace(target: string, bytes: Uint8Array): Promise<void> {
    await this.place(target, bytes, (temporary) => this.disk.files.rename(temporary, target));
  }

  /** Writes the bytes to `target` unless the file exists. Returns whether it was written. */
  async create(target: string, bytes: Uint8Array): Promise<boolean> {
    let created = false;
    await this.place(target, bytes, async (temporary) => {
      // A link, not a rename: with several writers exactly one creates the name, and readers never see an incomplete
      // file.
      created = await this.disk.files.link(temporary, target).then(
        () => true,
        (error: unknown) => {
          if (hasCode(error, 'EEXIST')) return false;
          throw error;
        },
      );
      await removeQuietly(this.disk.files, temporary);
    });
    return created;
  }

  /** Returns when the file at `target` would survive a power cut, whichever process wrote it. */
  async persist(target: string): Promise<void> {
    await this.disk.folders.persist(dirname(target), this.top);
  }

  private async place(target: string, bytes: Uint8Array, publish: (temporary: string) => Promise<void>): Promise<void> {
    const attempt = async (): Promise<void> => {
      const temporary = join(temporaryFolder(this.path), temporaryName());
      await this.prepare(dirname(target), dirname(temporary));
      await writeDurably(this.disk.files, temporary, bytes);
      await publish(temporary).catch(async (error: unknown) => {
        await removeQuietly(this.disk.files, temporary);
        throw error;
      });
      await this.persist(target);
    };
    await attempt().catch(async (error: unknown) => {
      if (!hasCode(error, 'ENOENT')) throw error;
      // The run was deleted after its folders had been created. Creates them again, once, unless the whole store is
      // gone.
      await assertStoreMounted(this.disk, this.storeId);
      this.disk.folders.forget(this.path);
      await attempt();
    });
  }

  private async prepare(...folders: readonly string[]): Promise<void> {
    for (const folder of folders) await this.disk.folders.ensure(folder, this.top);
    if (this.needsId) await this.writeId();
  }

  /** Stores the run id in the folder, because it cannot be recovered from a hashed name. */
  private async writeId(): Promise<void> {
    const path = this.file(idFile);
    const written = await undefinedIfMissing(this.disk.files.stat(path));
    if (written) return;
    const temporary = join(temporaryFolder(this.path), temporaryName());
    await writeDurably(this.disk.files, temporary, Buffer.from(this.runId, 'utf8'));
    await this.disk.files.rename(temporary, path);
    await this.persist(path);
  }
}

/** Returns the run id of a folder; undefined when the folder is not a run. */
export async function readRunId({ root, files }: Disk, name: string): Promise<string | undefined> {
  if (!isHashed(name)) return runIdFromFolderName(name);
  const written = await undefinedIfMissing(files.readFile(join(runsFolder(root), name, idFile)));
  const runId = written && decodeUtf8(written);
  return runId && runFolderName(runId) === name ? runId : undefined;
}
