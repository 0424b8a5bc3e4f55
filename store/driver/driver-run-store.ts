import { InvalidInputError, mapWithLimit } from '../../domain/kernel';
import {
  BlobCorruptError,
  BlobMissingError,
  type BlobRef,
  blobRefSchema,
  type JournalEntry,
  KeyMissingError,
  type RunStore,
  type StoreCheck,
  type StoredContent,
  type VolatileValues,
  type WriteOptions,
} from '../../domain/store';
import { sha256 } from '../blobs';
import type { BlobCache } from './blob-cache';
import { numberedName, plainName } from './numbered-names';
import type { BlobPort, NamedContent, RunDriver } from './ports';
import type { Names, Sealing } from './sealing';
import { sealedValues } from './sealed-values';

/** Blobs that are read at the same time to verify them. Each may have megabytes. */
const verifiedAtATime = 8;

/** The blobs and the journal of one run, kept by a driver: names what it keeps, and checks what it returns. */
export class DriverRunStore implements RunStore {
  readonly volatile?: VolatileValues;

  constructor(
    readonly runId: string,
    private readonly driver: RunDriver,
    private readonly sealing: Sealing,
    private readonly cache?: BlobCache,
  ) {
    if (driver.volatile !== undefined) this.volatile = sealedValues(driver.volatile, sealing);
  }

  async put(bytes: Uint8Array, mediaType: string, options: WriteOptions = {}): Promise<BlobRef> {
    const hash = sha256(bytes);
    const [name] = this.sealing.blobNames(hash);
    await this.driver.blobs.write(name, this.sealing.sealBlob(hash, bytes), options.later === true);
    return { hash, bytes: bytes.byteLength, mediaType };
  }

  async get(ref: BlobRef, neededBy: string): Promise<Uint8Array> {
    const cached = this.cache?.get(this.runId, ref);
    if (cached !== undefined) return cached;
    const found = await firstFound(this.blobNames(ref), (name) => this.driver.blobs.read(name));
    if (found === undefined) {
      await this.assertKeys();
      throw new BlobMissingError(this.runId, ref.hash, neededBy);
    }
    const bytes = this.opened(ref, found, neededBy);
    this.cache?.set(this.runId, ref, bytes);
    return bytes;
  }

  /** Throws if the run has blobs that were named with a key that is not here: what is missing may be one of them. */
  private async assertKeys(): Promise<void> {
    for await (const names of this.driver.blobs.names()) {
      for (const fingerprint of names.map((name) => this.sealing.unknownKey(name)))
        if (fingerprint !== undefined) throw new KeyMissingError(`with fingerprint ${fingerprint}`);
    }
  }

  private opened(ref: BlobRef, { name, content }: NamedContent, neededBy: string): Uint8Array {
    const bytes = this.sealing.openBlob(name, content);
    const problem = bytes === undefined ? 'it can not be decoded' : damage(ref, bytes);
    if (bytes !== undefined && problem === undefined) return bytes;
    throw new BlobCorruptError(this.runId, ref.hash, neededBy, problem ?? '');
  }

  async has(ref: BlobRef): Promise<boolean> {
    for (const name of this.blobNames(ref)) {
      if ((await this.driver.blobs.size(name)) === this.sealing.sealedSize(name, ref.bytes)) return true;
    }
    return false;
  }

  async putIfAbsent(key: string, bytes: Uint8Array, options: WriteOptions = {}): Promise<Uint8Array> {
    const later = options.later === true;
    const [name, ...earlier] = this.sealing.entryNames(key);
    if (earlier.length > 0) {
      const before = await this.find(key);
      if (before !== undefined) return before;
    }
    const content = this.sealing.sealEntry(key, bytes);
    // Does not check for an existing entry first: keys are rarely taken, and callers that expect one call `find` before
    // this.
    for (let free = name; ;) {
      const won = await this.driver.journal.create(free, content, later).catch(async (error: unknown) => {
        // A full disk can still be read: if the key is taken, nothing has to be written.
        if ((await this.find(key)) === undefined) throw error;
        return false;
      });
      if (won) return bytes;
      const found = await this.lookAt(name, key, later);
      if ('bytes' in found) return found.bytes;
      // What was there was torn by a power cut.
      ({ free } = found);
    }
  }

  async find(key: string): Promise<Uint8Array | undefined> {
    for (const name of this.sealing.entryNames(key)) {
      const found = await this.lookAt(name, key, true);
      if ('bytes' in found) return found.bytes;
    }
    return undefined;
  }

  flush(): Promise<void> {
    return this.driver.flush();
  }

  expectWrites(count: number): void {
    this.driver.expectWrites?.(count);
  }

  async *entries(kind: string, known: ReadonlySet<string> = new Set()): AsyncGenerator<JournalEntry, void, undefined> {
    const except = new Set([...known].flatMap((key) => this.sealing.entryNames(key)));
    for await (const page of this.driver.journal.list(`${kind}.`, except)) {
      for (const found of page) {
        const entry = this.sealing.openEntry(plainName(found.name), found.content);
        if (entry !== undefined) yield entry;
        else await this.assertTorn(found.name, 'the journal');
      }
    }
  }

  async verify(): Promise<StoreCheck> {
    const { blobs } = this.driver;
    let checked = 0;
    const damaged: string[] = [];
    for await (const names of blobs.names()) {
      checked += names.length;
      const found = await mapWithLimit(names, verifiedAtATime, async (name) => {
        const content = await blobs.read(name);
        return content === undefined || this.isWhole(name, content) ? [] : [name];
      });
      damaged.push(...found.flat());
    }
    return { blobs: checked, damaged };
  }

  async *everything(): AsyncGenerator<StoredContent, void, undefined> {
    const { blobs, journal } = this.driver;
    for await (const names of blobs.names()) {
      for (const name of names) {
        const content = await blobs.read(name);
        if (content !== undefined) yield { bytes: this.assertWhole(name, content) };
      }
    }
    for await (const page of journal.list('', new Set())) {
      for (const found of page) {
        const entry = this.sealing.openEntry(plainName(found.name), found.content);
        if (entry !== undefined) yield entry;
        else await this.assertTorn(found.name, 'a copy');
      }
    }
  }

  /**
   * Reads the journal entry with this key and name. Makes it durable, with `later` at the next flush. If there is none,
   * returns the name under which to write it.
   */
  private async lookAt(
    name: string,
    key: string,
    later: boolean,
  ): Promise<{ readonly bytes: Uint8Array } | { readonly free: string }> {
    const { journal } = this.driver;
    for (let torn = 0; ; torn += 1) {
      const numbered = numberedName(name, torn);
      const content = await journal.read(numbered);
      if (content === undefined) return { free: numbered };
      const entry = this.sealing.openEntry(name, content);
      if (entry?.key === key) {
        await journal.adopt?.(numbered, content, later);
        return { bytes: entry.bytes };
      }
      await this.assertTorn(numbered, `journal key "${key}"`);
    }
  }

  /** Throws unless a power cut has torn the entry before anything could depend on it. */
  private async assertTorn(name: string, neededBy: string): Promise<void> {
    if ((await this.driver.journal.isTorn?.(name)) === true) return;
    throw new BlobCorruptError(this.runId, name, neededBy, 'its content does not match its hash');
  }

  private isWhole(name: string, content: Uint8Array): boolean {
    const bytes = this.sealing.openBlob(name, content);
    return bytes !== undefined && this.sealing.blobNames(sha256(bytes)).includes(name);
  }

  private assertWhole(name: string, content: Uint8Array): Uint8Array {
    const bytes = this.sealing.openBlob(name, content);
    if (bytes !== undefined && this.isWhole(name, content)) return bytes;
    throw new BlobCorruptError(this.runId, name, 'a copy', 'its content does not match its hash');
  }

  /** The only place where a hash becomes a name, so it is validated here. */
  private blobNames({ hash }: BlobRef): Names {
    if (blobRefSchema.shape.hash.safeParse(hash).success) return this.sealing.blobNames(hash);
    throw new InvalidInputError('hash', 'it is not a SHA-256 in lower-case hex', 'Pass a ref that the store returned.');
  }
}

async function firstFound(names: Names, read: BlobPort['read']): Promise<NamedContent | undefined> {
  for (const name of names) {
    const content = await read(name);
    if (content !== undefined) return { name, content };
  }
  return undefined;
}

function damage(ref: BlobRef, bytes: Uint8Array): string | undefined {
  if (bytes.byteLength !== ref.bytes) return `it is ${bytes.byteLength} bytes instead of ${ref.bytes}`;
  const hash = sha256(bytes);
  return hash === ref.hash ? undefined : `its content has the hash ${hash}`;
}
