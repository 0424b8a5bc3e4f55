import { type JournalEntry, KeyMissingError } from '../../domain/store';
import { sha256 } from '../blobs';
import { decodeRecord, encodeRecord, journalName } from './journal-record';
import { fingerprintIn, sealedWith } from './sealed-names';

/**
 * The form in which a driver gets to see data: the only place between the hashes and keys of the application and the
 * names and contents of a driver. `plainSealing` leaves everything readable; one that encrypts replaces it.
 *
 * Rules for implementations:
 *
 * - A blob of equal bytes must always get an equal name and equal content: writers compare what is there with what they
 *   write, and replace it when it differs.
 * - A value may have several names, for example one for each key that was ever used. The first one is written; the others
 *   are only looked for, in that order. All workers that write to a run must agree on the first name of a journal
 *   entry, or two of them could both be the first writer of a key.
 * - The name of a journal entry begins with its kind and a dot, so that one kind can be listed. Names consist of `a-z`,
 *   `0-9`, `-` and `.`.
 * - `open…` returns undefined for a content that is damaged. Throw a `StoreError` if it is whole but can't be opened
 *   here, for example because the key is missing.
 */
export interface Sealing {
  /** Names of a blob, given the SHA-256 of its bytes. */
  blobNames(hash: string): Names;
  sealBlob(hash: string, bytes: Uint8Array): Uint8Array;
  /** The bytes of a blob. The caller compares them with the hash. */
  openBlob(name: string, content: Uint8Array): Uint8Array | undefined;
  /** Size of the content of a blob that has this many bytes, under this name: one of earlier times may be plain. */
  sealedSize(name: string, bytes: number): number;

  /** Names of a journal entry. */
  entryNames(key: string): Names;
  /** The content must contain the key: it can't be told from the name. */
  sealEntry(key: string, bytes: Uint8Array): Uint8Array;
  openEntry(name: string, content: Uint8Array): JournalEntry | undefined;

  /** Names of a volatile value. */
  valueNames(name: string): Names;
  sealValue(name: string, bytes: Uint8Array): Uint8Array;
  openValue(name: string, content: Uint8Array): Uint8Array | undefined;

  /**
   * Fingerprint of the key that made this name, if it is none of the keys here; else undefined. Asked when a blob is not
   * found: it may be there under a name that can't be computed without that key.
   */
  unknownKey(name: string): string | undefined;
}

/** At least one name. */
export type Names = readonly [string, ...string[]];

/** Stores everything as it is, journal entries with their key and a hash. */
export const plainSealing: Sealing = {
  blobNames: (hash) => [hash],
  sealBlob: (_hash, bytes) => bytes,
  openBlob: unsealed,
  sealedSize: (_name, bytes) => bytes,

  entryNames: (key) => [journalName(key)],
  sealEntry: encodeRecord,
  openEntry: (name, content) => {
    const entry = decodeRecord(unsealed(name, content));
    return entry !== undefined && journalName(entry.key) === name ? entry : undefined;
  },

  valueNames: (name) => [sha256(name)],
  sealValue: (_name, bytes) => bytes,
  openValue: unsealed,

  unknownKey: fingerprintIn,
};

/** Returns a content as it is. Throws if it is encrypted: without keys, it must not be taken for a damaged one. */
function unsealed(name: string, content: Uint8Array): Uint8Array {
  if (fingerprintIn(name) !== undefined) throw new KeyMissingError(sealedWith(content) ?? 'unknown', 'This data');
  return content;
}
