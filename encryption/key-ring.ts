import { InvalidInputError } from '../domain/kernel';

/** A key of AES-256, and the name that is stored with everything it encrypts. */
export interface EncryptionKey {
  /**
   * Public name of the key. Choose names that sort by age, such as `2026-11`: names in the store are made with the key
   * that sorts first, so that all workers agree on them while a key is being added.
   */
  readonly id: string;
  /** The secret: 32 bytes. */
  readonly bytes: Uint8Array;
}

/**
 * Keys to encrypt with: the first one encrypts, all of them decrypt. A function is called once, when a client connects
 * or a store is opened; use it to get keys from a key management service.
 */
export type EncryptionKeys = KeyRing | readonly EncryptionKey[] | (() => Promise<readonly EncryptionKey[]>);

const keyBytes = 32;
const idRule = /^[\w.-]{1,64}$/;

/** Keys that have been checked. Printing it shows the names of the keys, never the keys. */
export class KeyRing {
  readonly #keys: ReadonlyMap<string, EncryptionKey>;
  readonly #current: EncryptionKey;

  /** @throws InvalidInputError if the list is empty, a key is not 32 bytes long, or two have the same id. */
  constructor(keys: readonly EncryptionKey[]) {
    const [current] = keys;
    if (current === undefined) throw invalid('the list of keys is empty', 'Pass at least one, or turn encryption off.');
    keys.forEach(check);
    this.#keys = new Map(keys.map((key) => [key.id, key]));
    if (this.#keys.size < keys.length) throw invalid('two keys have the same id', 'Give every key an id of its own.');
    this.#current = current;
  }

  /** The key that encrypts. */
  get current(): EncryptionKey {
    return this.#current;
  }

  /** All keys, those that the store names things with first: sorted by id. */
  get byAge(): readonly EncryptionKey[] {
    return [...this.#keys.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
  }

  /** Names of all keys; the first one encrypts. */
  get ids(): readonly string[] {
    return [...this.#keys.keys()];
  }

  find(id: string): EncryptionKey | undefined {
    return this.#keys.get(id);
  }

  toJSON(): readonly string[] {
    return this.ids;
  }
}

/** Checks keys, calling the function if they are one. */
export async function keyRingOf(keys: EncryptionKeys): Promise<KeyRing> {
  if (keys instanceof KeyRing) return keys;
  return new KeyRing(typeof keys === 'function' ? await keys() : keys);
}

function check({ id, bytes }: EncryptionKey): void {
  if (!idRule.test(id))
    throw invalid(`"${id}" is not an id`, 'Use letters, digits, dots, dashes and underscores, at most 64.');
  if (bytes.byteLength !== keyBytes)
    throw invalid(
      `the key "${id}" has ${bytes.byteLength} bytes instead of ${keyBytes}`,
      'Make one with: baton keys new',
    );
}

function invalid(reason: string, remedy: string): InvalidInputError {
  return new InvalidInputError('encryption', reason, remedy);
}
