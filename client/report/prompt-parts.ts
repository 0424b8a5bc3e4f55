import { extractParent, startMarker } from '../../domain/prompt';
import { indexOfBytes } from '../../domain/prompt/bytes';
import type { ReportPrompt } from './report-model';

const decoder = new TextDecoder('utf-8');

/** Splits a prompt into the embedded prompt of its parent and the text before and after it. */
export function promptParts(bytes: Uint8Array, hash: string, isComposed: boolean, withParent: boolean): ReportPrompt {
  const whole = { hash, bytes: bytes.length, before: decoder.decode(bytes), parent: null, after: '' };
  if (!isComposed) return whole;
  const embedded = parentIn(bytes);
  if (embedded === undefined) return whole;
  const start = embedded.byteOffset - bytes.byteOffset;
  return {
    hash,
    bytes: bytes.length,
    before: decoder.decode(bytes.subarray(0, start)),
    parent: { text: withParent ? decoder.decode(embedded) : null, bytes: embedded.length },
    after: decoder.decode(bytes.subarray(start + embedded.length)),
  };
}

/** Returns a view into the same bytes, so that its offset is known. */
function parentIn(bytes: Uint8Array): Uint8Array | undefined {
  if (indexOfBytes(bytes, new TextEncoder().encode(startMarker), 0) === -1) return undefined;
  try {
    return extractParent(bytes);
  } catch {
    return undefined;
  }
}
