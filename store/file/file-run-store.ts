import { basename, join } from 'node:path';
import { z } from 'zod';
import { InvalidInputError, mapWithLimit } from '../../domain/kernel';
import {
  BlobCorruptError,
  BlobMissingError,
  type BlobRef,
  blobRefSchema,
  type JournalEntry,
  type RunStore,
  type StoreCheck,
} from '../../domain/store';
import { sha256 } from '../blobs';
import type { Disk } from './disk';
import { assertStoreMounted } from './manifest';
import { mapOsErrors, undefinedIfMissing } from './os-errors';
import { RunFolder } from './run-folder';

/** Blobs that are read at the same time to verify them. Each may have megabytes. */
const verifiedAtATime = 8;

/** Journal entries that are read at the same time. */
const entriesAtATime = 64;

/** The blobs and the journal of one run, as files. */
export class FileRunStore implements RunStore {
  private readonly folder: RunFolder;

  constructor(
    private readonly disk: Disk,
    private readonly storeId: string,
    readonly runId: string,
  ) {
    this.folder = new RunFolder(disk, storeId, runId);
  }

  async put(bytes: Uint8Array, mediaType: string): Promise<BlobRef> {
    const hash = sha256(bytes);
    const path = this.blobPath(hash);
    await this.guarded(async () => {
      // Compares the bytes instead of checking only that the file exists, so a damaged copy is replaced by the good
      // one.
      if (await this.holds(path, bytes)) await this.folder.persist(path);
      else await this.folder.replace(path, bytes);
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

  async putIfAbsent(key: string, bytes: Uint8Array): Promise<Uint8Array> {
    const path = this.journalPath(key);
    // Does not check for an existing entry first: keys are rarely taken, and callers that expect one call `find` before
    // this.
    const won = await this.guarded(() => this.folder.create(path, encodeRecord(key, bytes))).catch(
      async (error: unknown) => {
        // A full disk can still be read: if the key is taken, nothing has to be written.
        if ((await this.find(key)) === undefined) throw error;
        await this.guarded(() => this.folder.persist(path));
        return false;
      },
    );
    if (won) return bytes;
    const winner = await this.find(key);
    if (winner === undefined) throw new BlobMissingError(this.runId, sha256(key), `journal key "${key}"`);
    return winner;
  }

  async find(key: string): Promise<Uint8Array | undefined> {
    const path = this.journalPath(key);
    const file = await this.guarded(() => this.read(path));
    if (file === undefined) return undefined;
    const found = decodeRecord(file);
    if (found?.key === key) return found.bytes;
    throw new BlobCorruptError(this.runId, sha256(key), `journal key "${key}"`, 'its content does not match its hash');
  }

  async *entries(kind: string): AsyncGenerator<JournalEntry, void, undefined> {
    const folder = this.folder.file('journal');
    const names = (await this.guarded(() => this.unlessMissing(this.disk.files.readdir(folder)))) ?? [];
    const wanted = names.filter((name) => name.startsWith(`${kind}.`));
    for (let from = 0; from < wanted.length; from += entriesAtATime) {
      const some = wanted.slice(from, from + entriesAtATime);
      yield* await Promise.all(some.map((name) => this.entry(join(folder, name))));
    }
  }

  private async entry(path: string): Promise<JournalEntry> {
    const found = decodeRecord(await this.guarded(() => this.disk.files.readFile(path)));
    if (found !== undefined && journalName(found.key) === basename(path)) return found;
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

const headerSchema = z.strictObject({ key: z.string(), sha256: z.string() });

/** Encodes a journal file: one line of JSON with the key and the hash of the bytes, then the bytes. */
function encodeRecord(key: string, bytes: Uint8Array): Buffer {
  const header = JSON.stringify({ key, sha256: sha256(bytes) });
  return Buffer.concat([Buffer.from(`${header}\n`, 'utf8'), bytes]);
}

/** Returns the key and the bytes of a journal file; undefined when it is damaged. */
function decodeRecord(file: Buffer): JournalEntry | undefined {
  const end = file.indexOf('\n');
  const header = parseHeader(file.toString('utf8', 0, Math.max(end, 0)));
  const bytes = file.subarray(end + 1);
  return header?.sha256 === sha256(bytes) ? { key: header.key, bytes } : undefined;
}

/** Names a journal file by the kind of its key, so that one kind can be listed, and by the hash of the whole key. */
function journalName(key: string): string {
  const [kind = ''] = key.split('/', 1);
  return /^[a-z-]{1,32}$/.test(kind) ? `${kind}.${sha256(key)}` : sha256(key);
}

function parseHeader(line: string): z.infer<typeof headerSchema> | undefined {
  try {
    return headerSchema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
