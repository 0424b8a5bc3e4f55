import { sha256Hex } from '../kernel';

const wordBytes = 4;

/** Concatenates all pieces. `margin` unused bytes in front set the alignment, for a later comparison by words. */
export function concat(pieces: readonly Uint8Array[], margin = 0): Uint8Array {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const whole = new Uint8Array(new ArrayBuffer(margin + length), margin);
  let offset = 0;
  for (const piece of pieces) {
    whole.set(piece, offset);
    offset += piece.length;
  }
  return whole;
}

/** Returns the first position at which two arrays differ, or undefined when they are equal. */
export function firstDifference(a: Uint8Array, b: Uint8Array): number | undefined {
  const shared = Math.min(a.length, b.length);
  for (let i = sameWords(a, b, shared); i < shared; i += 1) if (a[i] !== b[i]) return i;
  return a.length === b.length ? undefined : shared;
}

/**
 * Returns the length of the common prefix, compared in whole words. This is four times as fast as comparing single bytes,
 * which would cost more than hashing. Returns 0 unless both arrays have the same alignment.
 */
function sameWords(a: Uint8Array, b: Uint8Array, length: number): number {
  const skipped = (wordBytes - (a.byteOffset % wordBytes)) % wordBytes;
  if (a.byteOffset % wordBytes !== b.byteOffset % wordBytes || length < skipped) return 0;
  for (let i = 0; i < skipped; i += 1) if (a[i] !== b[i]) return i;
  const words = Math.floor((length - skipped) / wordBytes);
  const left = new Int32Array(a.buffer, a.byteOffset + skipped, words);
  const right = new Int32Array(b.buffer, b.byteOffset + skipped, words);
  let same = 0;
  while (same < words && left[same] === right[same]) same += 1;
  return skipped + same * wordBytes;
}

/** Returns the margin with which the byte at `offset` gets the same alignment as the array that it is copied from. */
export function aligningMargin(source: Uint8Array, offset: number): number {
  return (wordBytes + (source.byteOffset % wordBytes) - (offset % wordBytes)) % wordBytes;
}

/** Returns true if a cut at this position would split a character. */
export function splitsCodePoint(bytes: Uint8Array, at: number): boolean {
  const byte = bytes[at];
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** Returns the first position of a pattern at or after `from`, or -1. */
export function indexOfBytes(bytes: Uint8Array, pattern: Uint8Array, from: number): number {
  const first = pattern[0] ?? 0;
  for (let at = bytes.indexOf(first, from); at !== -1; at = bytes.indexOf(first, at + 1)) {
    if (hasAt(bytes, pattern, at)) return at;
  }
  return -1;
}

/** Returns the last position of a pattern at or before `from`, or -1. */
export function lastIndexOfBytes(bytes: Uint8Array, pattern: Uint8Array, from: number): number {
  const first = pattern[0] ?? 0;
  for (let at = from; at >= 0; at -= 1) {
    at = bytes.lastIndexOf(first, at);
    if (at === -1 || hasAt(bytes, pattern, at)) return at;
  }
  return -1;
}

function hasAt(bytes: Uint8Array, pattern: Uint8Array, at: number): boolean {
  for (let i = 0; i < pattern.length; i += 1) if (bytes[at + i] !== pattern[i]) return false;
  return true;
}

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
