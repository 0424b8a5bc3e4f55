import { sha256Hex } from '../hash';

/** SHA-256 as lower-case hex. Activities pass the platform's own, which is some twenty times faster on a long prompt. */
export type Sha256 = (bytes: Uint8Array) => string;

export interface HashingOptions {
  readonly sha256?: Sha256;
}

export function hashingWith(options: HashingOptions): Sha256 {
  return options.sha256 ?? sha256Hex;
}
