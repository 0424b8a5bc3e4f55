import { basename, join } from 'node:path';
import { InvalidInputError, mapWithLimit } from '../../domain/kernel';
import {
  BlobCorruptError,
  BlobMissingError,
  type BlobRef,
  blobRefSchema,
  type JournalEntry,
  type RunStore,
  type StoreCheck,
  type VolatileValues,
  type WriteOptions,
} from '../../domain/store';
import { sha256 } from '../blobs';
import { type Disk, temporaryFolder } from './disk';
import { decodeRecord, encodeRecord, journalName } from './journal-record';
import { assertStoreMounted } from './manifest';
import { mapOsErrors, undefinedIfMissing } from './os-errors';
import { isUnsynced, PublishedFile } from './published-files';
import { RunFolder } from './run-folder';
import { UnsyncedFiles } from './unsynced-files';
import { VolatileFiles } from './volatile-files';

/** Blobs that are read at the same time to verify them. Each may have megabytes. */
const verifiedAtATime = 8;

/** Journal entries that are read at the same time. */
const entriesAtATime = 64;

/** The blobs and the journal of one run, as files. */
export class FileRunStore implements RunStore {
  private readonly folder: RunFolder;
  private readonly unsynced: UnsyncedFiles;
  readonly volatile: VolatileValues;

  constructor(
    private readonly disk: Disk,
    private readonly storeId: string,
    readonly runId: string,
  ) {
    this.folder = new RunFolder(disk, storeId, runId);
    this.unsynced = new UnsyncedFiles(disk, this.folder);
    this.volatile = new VolatileFiles(disk, this.folder);
  }

  async put(bytes: Uint8Array, mediaType: string, { later }: WriteOptions = {}): Promise<BlobRef> {
    const hash = sha256(bytes);
    const path = this.blobPath(hash);
    await this.guarded(async () => {
      if (later === true && (await this.canPublish()) && (await this.publish(path, bytes))) return;
      // Compares the bytes instead of checking only that the file exists, so a damaged copy is replaced by the good
      // one.
      if (!(await this.holds(path, bytes))) await this.folder.replace(path, bytes);
      else if (later === true) this.unsynced.addFound(path, bytes);
      else await this.persist(path, bytes);
    });
    return { hash, bytes: bytes.byteLength, mediaType };
  }

  async get(ref: BlobRef, neededBy: string): Promise<Uint8Array> {
    const path = this.blobPath(ref.hash);
    const bytes = await this.guarded(() => this.read(path));
    if (bytes === undefined) throw new BlobMissingError(this.runId, ref.hash, neededBy);
    const problem = damage(ref, bytes);
    if (problem !== undefined) throw new BlobCorruptError(this.runId, ref.hash, neededBy, problem);
    return bytes;
  }

  async has(ref: BlobRef): Promise<boolean> {
    const path = this.blobPath(ref.hash);
    const found = await this.guarded(() => this.unlessMissing(this.disk.files.stat(path)));
    return found?.size === ref.bytes;
  }

  async putIfAbsent(key: string, bytes: Uint8Array, { later }: WriteOptions = {}): Promise<Uint8Array> {
    const path = this.journalPath(key);
    const record = encodeRecord(key, bytes);
    // Does not check for an existing entry first: keys are rarely taken, and callers that expect one call `find` before
    // this.
    const won = await this.guarded(async () => {
      const publishes = later === true && (await this.canPublish());
      return publishes ? this.publish(path, record) : this.folder.create(path, record);
    }).catch(async (error: unknown) => {
      // A full disk can still be read: if the key is taken, nothing has to be written.
      if ((await this.find(key)) === undefined) throw error;
      return false;
    });
    if (won) return bytes;
    const winner = await this.find(key);
    // What was there was torn by a power cut, and is out of the way now.
    if (winner === undefined) return this.putIfAbsent(key, bytes, later === true ? { later } : {});
    if (later !== true) await this.guarded(() => this.persist(path, encodeRecord(key, winner)));
    return winner;
  }

  async find(key: string): Promise<Uint8Array | undefined> {
    const path = this.journalPath(key);
    const file = await this.guarded(() => this.read(path));
    if (file === undefined) return undefined;
    const found = decodeRecord(file);
    if (found?.key === key) {
      this.unsynced.addFound(path, file);
      return found.bytes;
    }
    if (await this.guarded(() => this.setAside(path))) return undefined;
    throw new BlobCorruptError(this.runId, sha256(key), `journal key "${key}"`, 'its content does not match its hash');
  }

  async flush(): Promise<void> {
    await mapOsErrors(this.disk.root, () => this.unsynced.flush());
  }

  async *entries(kind: string, known: ReadonlySet<string> = new Set()): AsyncGenerator<JournalEntry, void, undefined> {
    const folder = this.folder.file('journal');
    const names = (await this.guarded(() => this.unlessMissing(this.disk.files.readdir(folder)))) ?? [];
    const except = new Set([...known].map(journalName));
    const wanted = names.filter((name) => name.startsWith(`${kind}.`) && !except.has(name));
    for (let from = 0; from < wanted.length; from += entriesAtATime) {
      const some = wanted.slice(from, from + entriesAtATime);
      const found = await Promise.all(some.map((name) => this.entry(join(folder, name))));
      yield* found.filter((entry) => entry !== undefined);
    }
  }

  /** Reads an entry; undefined when a power cut has torn it. */
  private async entry(path: string): Promise<JournalEntry | undefined> {
    const found = decodeRecord(await this.guarded(() => this.disk.files.readFile(path)));
    if (found !== undefined && journalName(found.key) === basename(path)) return found;
    if (await this.guarded(() => isUnsynced(this.disk.files, path))) return undefined;
    throw new BlobCorruptError(this.runId, basename(path), 'the journal', 'its content does not match its hash');
  }

  async verify(): Promise<StoreCheck> {
    const { files } = this.disk;
    const folder = this.folder.file('blobs');
    const hashes = (await this.guarded(() => undefinedIfMissing(files.readdir(folder)))) ?? [];
    const found = await mapWithLimit(hashes, verifiedAtATime, async (hash) => {
      const bytes = await this.guarded(() => files.readFile(join(folder, hash)));
      return sha256(bytes) === hash ? [] : [hash];
    });
    return { blobs: hashes.length, damaged: found.flat() };
  }

  private canPublish(): Promise<boolean> {
    return this.disk.published.isPossible();
  }

  /** Writes a new file without a sync. Returns false if there is one. */
  private async publish(path: string, bytes: Uint8Array): Promise<boolean> {
    const file = await this.folder.publish(path, bytes);
    if (file !== undefined) this.unsynced.add(file);
    return file !== undefined;
  }

  /** Returns when a file that was found would survive a power cut: whoever wrote it may not have synced it. */
  private async persist(path: string, bytes: Uint8Array): Promise<void> {
    const found = new PublishedFile(this.disk.files, path, bytes);
    const [isSynced] = await Promise.all([found.sync(), this.folder.persist(path)]);
    if (!isSynced) await this.folder.replace(path, bytes);
  }

  /**
   * Moves a damaged record out of the way if a power cut has torn it. That can only happen to one that was never synced,
   * so nothing depends on it. Returns whether it was one.
   */
  private async setAside(path: string): Promise<boolean> {
    const { files } = this.disk;
    const aside = join(temporaryFolder(this.folder.path), `${basename(path)}.torn`);
    if ((await undefinedIfMissing(isUnsynced(files, path))) === false) return false;
    const moved = await undefinedIfMissing(files.rename(path, aside).then(() => files.readFile(aside)));
    // Another process was faster, and has already written the record again.
    if (moved !== undefined && decodeRecord(moved) !== undefined) await files.link(aside, path);
    else if (moved !== undefined)
      process.emitWarning(`A power cut has torn the journal record ${path}; it counts as absent`);
    return true;
  }

  private async holds(path: string, bytes: Uint8Array): Promise<boolean> {
    const stored = await undefinedIfMissing(this.disk.files.readFile(path));
    return stored?.equals(bytes) ?? false;
  }

  private read(path: string): Promise<Buffer | undefined> {
    return this.unlessMissing(this.disk.files.readFile(path));
  }

  /** Like `undefinedIfMissing`, but throws if the store as a whole is gone. */
  private async unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
    const result = await undefinedIfMissing(work);
    if (result === undefined) await assertStoreMounted(this.disk, this.storeId);
    return result;
  }

  private guarded<T>(work: () => Promise<T>): Promise<T> {
    return mapOsErrors(this.disk.root, () => this.disk.limit.run(work));
  }

  /** The only place where a hash becomes part of a path, so it is validated here. */
  private blobPath(hash: string): string {
    if (!blobRefSchema.shape.hash.safeParse(hash).success) {
      throw new InvalidInputError(
        'hash',
        'it is not a SHA-256 in lower-case hex',
        'Pass a ref that the store returned.',
      );
    }
    return this.folder.file('blobs', hash);
  }

  private journalPath(key: string): string {
    return this.folder.file('journal', journalName(key));
  }
}

function damage(ref: BlobRef, bytes: Uint8Array): string | undefined {
  if (bytes.byteLength !== ref.bytes) return `it is ${bytes.byteLength} bytes instead of ${ref.bytes}`;
  const hash = sha256(bytes);
  return hash === ref.hash ? undefined : `its content has the hash ${hash}`;
}
