import { sha256Hex } from '../kernel/hash';

/** Computes SHA-256 as lower-case hex. Activities pass the platform's function, which is about twenty times faster. */
export type Sha256 = (bytes: Uint8Array) => string;

/** Options of functions that hash prompts. */
export interface HashingOptions {
  readonly sha256?: Sha256;
}

/** Returns the hash function to use; the portable implementation by default. */
export function hashingWith(options: HashingOptions): Sha256 {
  return options.sha256 ?? sha256Hex;
}
