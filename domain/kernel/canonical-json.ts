import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import canonicalize from 'canonicalize';
import { InvalidJsonError } from './errors';

/**
 * Returns the canonical text of a JSON value (RFC 8785). This is the text that is hashed, stored and compared. Throws an
 * `InvalidJsonError` for a value without one, and for nesting that exhausts the stack.
 */
export function canonicalJson(value: unknown): string {
  const text = canonicalText(value);
  if (text === undefined) throw new InvalidJsonError('The value cannot be represented as JSON');
  return text;
}

function canonicalText(value: unknown): string | undefined {
  try {
    return canonicalize(value);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new InvalidJsonError('The value is nested too deeply, or too large, to be represented as JSON');
  }
}

const encoder = new TextEncoder();

/** Encodes a text as UTF-8. */
export function utf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/**
 * Returns the SHA-256 as lower-case hex. This is pure JavaScript, so that it also works in the workflow sandbox. Hash
 * megabytes in an activity, with Node's own implementation.
 */
export function sha256Hex(data: string | Uint8Array): string {
  return bytesToHex(sha256(typeof data === 'string' ? utf8(data) : data));
}

/** Returns the SHA-256 of a JSON value's canonical text. Equal values have equal digests. */
export function jsonDigest(value: unknown): string {
  return sha256Hex(canonicalJson(value));
}
