import { keyedHash } from '../../encryption/cipher';
import { journalName } from './journal-record';

/** Length of a key's id in a sealed content. It is always the same, so that the size of a blob follows from its length. */
const idBytes = 64;
const magic = Buffer.from('BSE1');
/** What precedes the ciphertext of a sealed content. */
export const headerBytes = magic.length + idBytes;

/** Writes what precedes a ciphertext: the id of its key. */
export function sealedHeader(keyId: string): Buffer {
  const id = Buffer.alloc(idBytes);
  id.write(keyId, 'utf8');
  return Buffer.concat([magic, id]);
}

/** Returns the id of the key that a content is sealed with; undefined if it is damaged. */
export function sealedWith(content: Uint8Array): string | undefined {
  const header = Buffer.from(content.buffer, content.byteOffset, Math.min(content.byteLength, headerBytes));
  if (header.length < headerBytes || !header.subarray(0, magic.length).equals(magic)) return undefined;
  return header.toString('utf8', magic.length).replace(/\0+$/, '');
}

/** Makes names with one key. They don't tell what they name, and they do tell which key made them. */
export class KeyedNames {
  readonly fingerprint: string;

  constructor(private readonly key: Uint8Array) {
    this.fingerprint = keyedHash(key, 'fingerprint').toString('hex').slice(0, 8);
  }

  blob(hash: string): string {
    return this.name('blob', hash);
  }

  /** The kind stays readable, so that one kind can be listed. */
  entry(key: string): string {
    const [kind = ''] = journalName(key).split('.', 1);
    const name = this.name('entry', key);
    return kind.length <= 32 ? `${kind}.${name}` : name;
  }

  value(name: string): string {
    return this.name('value', name);
  }

  private name(what: string, text: string): string {
    return `s-${this.fingerprint}-${keyedHash(this.key, what, text).toString('hex').slice(0, 40)}`;
  }
}

const sealedName = /^(?:[a-z-]{1,32}\.)?s-([0-9a-f]{8})-[0-9a-f]{40}$/;

/** Returns the fingerprint of the key that made a name; undefined for the name of something that is not sealed. */
export function fingerprintIn(name: string): string | undefined {
  return sealedName.exec(name)?.[1];
}
