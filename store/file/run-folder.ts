import { dirname, join } from 'node:path';
import { decodeUtf8 } from '../blobs';
import { nextName } from '../driver/numbered-names';
import { isHashedName, runIdOfName, runName } from '../run-name';
import { assertNotBeingDeleted } from './deletion-mark';
import { type Disk, runsFolder, temporaryFolder } from './disk';
import { fileMode, type Place, removeQuietly, temporaryName, writeDurably } from './file-system';
import { assertStoreMounted } from './manifest';
import { hasCode, undefinedIfMissing } from './os-errors';
import { PublishedFile } from './published-files';
import type { NewFile } from './spare-files';

const idFile = 'run-id';

const looksAreValidMs = 1_000;

/** The folder of one run. A file written through it is either complete and on the disk, or absent. */
export class RunFolder {
  readonly path: string;
  private readonly top: string;
  private readonly needsId: boolean;
  /** When this object last looked for the mark of a deletion, and did not find it. */
  private lookedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly disk: Disk,
    private readonly storeId: string,
    readonly runId: string,
  ) {
    this.top = runsFolder(disk.root);
    const name = runName(runId);
    this.path = join(this.top, name);
    this.needsId = isHashedName(name);
  }

  file(...names: readonly string[]): string {
    return join(this.path, ...names);
  }

  /** Writes the bytes to `target`, replacing an existing file. */
  async replace(target: string, bytes: Uint8Array): Promise<void> {
    await this.place(target, async (temporary, allowed) => {
      await allowed;
      await writeDurably(this.disk.files, temporary, bytes);
      await this.orRemove(temporary, this.disk.files.rename(temporary, target));
      await this.persist(target);
    });
  }

  /**
   * Writes a file anew, because another sync of it would succeed without effect. What the disk could not keep may have
   * been found torn, so a record is written as the one that follows it, unless another worker has done that already:
   * then that one counts.
   */
  async writeAnew({ target, bytes }: Pick<PublishedFile, 'target' | 'bytes'>): Promise<void> {
    if (dirname(target) === this.file('journal')) await this.create(nextName(target), bytes);
    else await this.replace(target, bytes);
  }

  /** Writes the bytes to `target` unless the file exists. Returns whether it was written; if not, nothing is synced. */
  async create(target: string, bytes: Uint8Array): Promise<boolean> {
    return this.place(target, async (temporary, allowed) => {
      await allowed;
      await writeDurably(this.disk.files, temporary, bytes);
      const created = await this.orRemove(temporary, this.link(temporary, target));
      await Promise.all([removeQuietly(this.disk.files, temporary), created ? this.persist(target) : undefined]);
      return created;
    });
  }

  /**
   * Writes the bytes to `target` without a sync, unless the file exists. Every process can read the complete file from
   * then on. Undefined when the file exists.
   */
  async publish(target: string, bytes: Uint8Array): Promise<PublishedFile | undefined> {
    const { files, published } = this.disk;
    const file = await this.place(target, async (name, allowed) => {
      const own = await this.newFile(name);
      const { descriptor, temporary } = own;
      try {
        await this.orRemove(temporary, files.write(descriptor, bytes));
        await allowed;
        // If this fails, the link may have been made nevertheless. The temporary name then says that it was never synced.
        if (await this.link(temporary, target, { local: true }))
          return new PublishedFile(this.disk, target, bytes, own);
      } catch (error) {
        await files.close(descriptor);
        throw error;
      }
      await Promise.all([files.close(descriptor), removeQuietly(files, temporary)]);
      return undefined;
    });
    if (file !== undefined) await published.add(file);
    return file;
  }

  /** Creates the files that the next calls of `publish` will need. */
  expectWrites(count: number): void {
    this.disk.spares.create(temporaryFolder(this.path), count);
  }

  /** Returns a file that was created for this, or creates one with this temporary name. */
  private async newFile(temporary: string): Promise<NewFile> {
    const { files, spares } = this.disk;
    const spare = await spares.take(dirname(temporary));
    return spare ?? { descriptor: await files.create(temporary, { mode: fileMode }), temporary };
  }

  /** Returns when the file at `target` would survive a power cut, whichever process wrote it. */
  async persist(target: string): Promise<void> {
    await this.persistFolder(dirname(target));
  }

  /** Returns when the names of all files in a folder of the run would survive a power cut. */
  async persistFolder(folder: string): Promise<void> {
    await this.disk.folders.persist(folder, this.top);
  }

  /**
   * Links a file, instead of renaming it: with several writers exactly one creates the name, and readers never see an
   * incomplete file. Returns whether this one did.
   */
  private async link(temporary: string, target: string, place?: Place): Promise<boolean> {
    try {
      await this.disk.files.link(temporary, target, place);
      return true;
    } catch (error) {
      if (hasCode(error, 'EEXIST')) return false;
      throw error;
    }
  }

  /** Removes the temporary file if the work fails. */
  private async orRemove<T>(temporary: string, work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      await removeQuietly(this.disk.files, temporary);
      throw error;
    }
  }

  /**
   * Writes a file. `write` gets the name of a temporary file, and a promise that rejects if nothing may be written at the
   * moment, which it may await as late as it likes before the file gets its name.
   */
  private async place<T>(target: string, write: (temporary: string, allowed: Promise<void>) => Promise<T>): Promise<T> {
    const attempt = async (): Promise<T> => {
      const temporary = join(temporaryFolder(this.path), temporaryName());
      await this.prepare(dirname(target), dirname(temporary));
      const allowed = this.assertWritable();
      allowed.catch(() => undefined);
      return write(temporary, allowed);
    };
    const written = await attempt().catch(async (error: unknown) => {
      this.disk.probe.failed();
      if (!hasCode(error, 'ENOENT')) throw error;
      // The run was deleted after its folders had been created. Creates them again, once, unless the whole store is
      // gone.
      await assertStoreMounted(this.disk, this.storeId);
      this.disk.folders.forget(this.path);
      this.disk.spares.forget(temporaryFolder(this.path));
      this.lookedAt = Number.NEGATIVE_INFINITY;
      return attempt();
    });
    this.disk.probe.written();
    return written;
  }

  /**
   * Throws if the run is being deleted. A look may be a second old: whoever deletes a run first marks it and then asks
   * the server whether it has ended, and the workflow that this object writes for began before the look.
   */
  private async assertWritable(): Promise<void> {
    if (performance.now() - this.lookedAt < looksAreValidMs) return;
    const now = performance.now();
    await assertNotBeingDeleted(this.disk, this.path, this.runId);
    this.lookedAt = now;
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
  if (!isHashedName(name)) return runIdOfName(name);
  const written = await undefinedIfMissing(files.readFile(join(runsFolder(root), name, idFile)));
  const runId = written && decodeUtf8(written);
  return runId && runName(runId) === name ? runId : undefined;
}
