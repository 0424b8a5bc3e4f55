import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { canonicalJson } from './json';

const encoder = new TextEncoder();

export function utf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/**
 * SHA-256 as lower-case hex. Pure JavaScript, so that the sandbox can use it too; hash megabytes in an activity,
 * with the platform's own implementation.
 */
export function sha256Hex(data: string | Uint8Array): string {
  return bytesToHex(sha256(typeof data === 'string' ? utf8(data) : data));
}

/** The identity of a JSON value: the hash of its canonical text. */
export function jsonDigest(value: unknown): string {
  return sha256Hex(canonicalJson(value));
}
