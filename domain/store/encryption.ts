import { StoreError } from './store';

/**
 * Something is encrypted with a key that this process does not have. What needs it waits until a process has the key:
 * nothing is lost, and nothing is done without it.
 */
export class KeyMissingError extends StoreError {
  readonly type = 'Encryption.KeyMissing';

  constructor(keyId: string, what = 'This run') {
    super(`${what} is encrypted with the key "${keyId}", which is not among the keys here`, { keyId });
  }
}

/** Something is encrypted with a key of this name, but can't be decrypted: it was changed, or the key is another one. */
export class EncryptedDamagedError extends StoreError {
  readonly type = 'Encryption.Damaged';

  constructor(keyId: string) {
    super(`A payload can't be decrypted with the key "${keyId}": it was changed, or made with another key of that id`, {
      keyId,
    });
  }
}

/** Only field of the value that an activity gets in place of a payload whose key is missing: the key's id. */
const keyField = '$encryptedWith';

/** Creates the value that replaces a payload whose key is missing. */
export function encryptedPlaceholder(keyId: string): Readonly<Record<string, string>> {
  return { [keyField]: keyId };
}

/** Returns the id of the key that is missing for a value; undefined if the value could be read. */
export function missingKeyOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, keyField)) return undefined;
  const fields: readonly unknown[] = Object.values(value);
  return typeof fields[0] === 'string' && fields.length === 1 ? fields[0] : undefined;
}
