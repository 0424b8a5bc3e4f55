import { dirname, join } from 'node:path';
import { InvalidInputError } from '../../domain/kernel';
import { decodeUtf8, sha256 } from '../blobs';
import { assertNotBeingDeleted } from './deletion-mark';
import { type Disk, removeQuietly, runsFolder, temporaryFolder, temporaryName, writeDurably } from './disk';
import { assertStoreMounted } from './manifest';
import { hasCode, undefinedIfMissing } from './os-errors';

const idFile = 'run-id';

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
      await assertNotBeingDeleted(this.disk, this.path, this.runId);
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
      this.disk.probe.failed();
      if (!hasCode(error, 'ENOENT')) throw error;
      // The run was deleted after its folders had been created. Creates them again, once, unless the whole store is
      // gone.
      await assertStoreMounted(this.disk, this.storeId);
      this.disk.folders.forget(this.path);
      await attempt();
    });
    this.disk.probe.written();
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

const longestPlainName = 160;
const bytesKeptOfLongId = 26;

/**
 * Returns the name of a run's folder: lower-case ASCII letters, digits, `-`, `_`, and `%xx` for every other byte. A
 * name can therefore not escape the folder, and two ids never share a name, not even on file systems that ignore case
 * or Unicode normalization. Long ids keep their first bytes and get a hash after `~`.
 */
export function runFolderName(runId: string): string {
  const bytes = Buffer.from(runId, 'utf8');
  if (runId === '' || bytes.toString('utf8') !== runId) {
    throw new InvalidInputError(
      'runId',
      'it is empty or not well-formed text',
      'Use a run id that is valid Unicode text.',
    );
  }
  const parts = Array.from(bytes, encodeByte);
  const name = parts.join('');
  if (name.length <= longestPlainName) return name;
  return `${parts.slice(0, bytesKeptOfLongId).join('')}~${sha256(bytes)}`;
}

/** Whether the run id cannot be recovered from the name. */
function isHashed(name: string): boolean {
  return name.includes('~');
}

function encodeByte(byte: number): string {
  const character = String.fromCharCode(byte);
  return /[a-z0-9_-]/.test(character) ? character : `%${byte.toString(16).padStart(2, '0')}`;
}

/**
 * Returns the run id of a folder with a plain name; undefined for a hashed name, and for a folder that is not a run.
 */
export function runIdFromFolderName(name: string): string | undefined {
  if (!/^(?:[a-z0-9_-]|%[0-9a-f]{2})+$/.test(name)) return undefined;
  const bytes = name.replace(/%(..)/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  const runId = decodeUtf8(Buffer.from(bytes, 'latin1'));
  return runId !== undefined && runFolderName(runId) === name ? runId : undefined;
}
