import { randomBytes } from 'node:crypto';
import { KeyMissingError } from '../../domain/store';
import { decrypt, encrypt, keyedHash, nonceBytes, overheadBytes } from '../../encryption/cipher';
import type { EncryptionKey, KeyRing } from '../../encryption/key-ring';
import { decodeRecord, encodeRecord } from './journal-record';
import { fingerprintIn, headerBytes, KeyedNames, sealedHeader, sealedWith } from './sealed-names';
import { type Names, plainSealing, type Sealing } from './sealing';

/**
 * Encrypts everything that a driver keeps, with AES-256-GCM, and names it by a keyed hash. Contents and their names are
 * bound together, so that one can't be put in the place of another.
 *
 * The nonce is computed from the name and the content, so that equal blobs have equal bytes: whoever sees the store can
 * tell that two runs contain the same blob, and not what it is. The first key encrypts. Names are made with the key whose
 * id sorts first, so that workers agree on the first writer of a journal entry while a key is being added. What was
 * stored before encryption was turned on, or with other keys, is found by its own names.
 */
export function encryptingSealing(keys: KeyRing): Sealing {
  const seals = new Seals(keys);
  const [first, ...others] = seals.names;
  const known = new Set(seals.names.map(({ fingerprint }) => fingerprint));
  const namesBy = (make: (names: KeyedNames) => string, plain: Names): Names => [
    make(first),
    ...others.map(make),
    ...plain,
  ];
  const open: Sealing['openBlob'] = (name, content) => seals.open(name, content);
  const sealing: Sealing = {
    blobNames: (hash) => namesBy((names) => names.blob(hash), plainSealing.blobNames(hash)),
    sealBlob: (hash, bytes) => seals.seal(first.blob(hash), bytes),
    openBlob: open,
    sealedSize: (name, bytes) => bytes + (fingerprintIn(name) === undefined ? 0 : headerBytes + overheadBytes),

    entryNames: (key) => namesBy((names) => names.entry(key), plainSealing.entryNames(key)),
    sealEntry: (key, bytes) => seals.seal(first.entry(key), encodeRecord(key, bytes)),
    openEntry: (name, content) => {
      const record = open(name, content);
      const entry = record === undefined ? undefined : decodeRecord(record);
      return entry !== undefined && sealing.entryNames(entry.key).includes(name) ? entry : undefined;
    },

    valueNames: (name) => namesBy((names) => names.value(name), plainSealing.valueNames(name)),
    // Overwritten all the time and compared with nothing, so its nonce is random.
    sealValue: (name, bytes) => seals.seal(first.value(name), bytes, randomBytes(nonceBytes)),
    openValue: open,

    unknownKey: (name) => {
      const fingerprint = fingerprintIn(name);
      return fingerprint === undefined || known.has(fingerprint) ? undefined : fingerprint;
    },
  };
  return sealing;
}

/** Encrypts with the current key, and decrypts with all. */
class Seals {
  private readonly secrets: ReadonlyMap<string, Secrets>;
  private readonly current: Secrets;
  /** Names by every key. The first ones are those to write. */
  readonly names: readonly [KeyedNames, ...KeyedNames[]];

  constructor(private readonly keys: KeyRing) {
    this.current = secretsOf(keys.current);
    this.secrets = new Map(keys.byAge.map((key) => [key.id, secretsOf(key)]));
    const [first = this.current, ...others] = this.secrets.values();
    this.names = [first.names, ...others.map(({ names }) => names)];
  }

  seal(name: string, bytes: Uint8Array, nonce = nonceFor(this.current, name, bytes)): Uint8Array {
    const header = sealedHeader(this.keys.current.id);
    return Buffer.concat([header, encrypt(this.current.content, nonce, bytes, contextOf(header, name))]);
  }

  open(name: string, content: Uint8Array): Uint8Array | undefined {
    // Stored before encryption was turned on. A plain content under a keyed name is never accepted.
    if (fingerprintIn(name) === undefined) return content;
    const id = sealedWith(content);
    if (id === undefined) return undefined;
    const secret = this.secrets.get(id);
    if (secret === undefined) throw new KeyMissingError(id, 'This data');
    return decrypt(secret.content, content.subarray(headerBytes), contextOf(content.subarray(0, headerBytes), name));
  }
}

/** Keys for separate purposes, all derived from one. The key itself encrypts payloads. */
interface Secrets {
  readonly content: Uint8Array;
  readonly nonce: Uint8Array;
  readonly names: KeyedNames;
}

function secretsOf({ bytes }: EncryptionKey): Secrets {
  return {
    content: keyedHash(bytes, 'baton store content'),
    nonce: keyedHash(bytes, 'baton store nonce'),
    names: new KeyedNames(keyedHash(bytes, 'baton store names')),
  };
}

function nonceFor({ nonce }: Secrets, name: string, bytes: Uint8Array): Uint8Array {
  return keyedHash(nonce, name, bytes).subarray(0, nonceBytes);
}

function contextOf(header: Uint8Array, name: string): Uint8Array {
  return Buffer.concat([header, Buffer.from(name, 'utf8')]);
}
