import { LRUCache } from 'lru-cache';
import type { RunStore, SpilledText } from '../../domain/store';
import { readSpilled, sha256 } from '../../store/blobs';
import type { ConversationText } from './conversation';

/** Maximum bytes of a text that is given as a whole, unless whole texts are asked for. */
export const maxShownBytes = 4 * 1024;

/** Returns a text, or the beginning of a long one with the size and hash of the whole. */
export function shownText(text: string, maxBytes: number): ConversationText {
  if (text.length * 3 <= maxBytes) return { text };
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.byteLength <= maxBytes) return { text };
  return { text: beginning(bytes, maxBytes), whole: { bytes: bytes.byteLength, hash: sha256(bytes) } };
}

/** Cuts at the end of a character. */
function beginning(bytes: Buffer, maxBytes: number): string {
  let end = maxBytes;
  // Bytes that continue a character begin with the bits 10.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.toString('utf8', 0, end);
}

const keptTexts = 2_000;

/** Reads texts that are stored as blobs, and keeps their beginnings. */
export class StoredTexts {
  private readonly shown = new LRUCache<string, ConversationText>({ max: keptTexts });

  constructor(private readonly store: RunStore) {}

  /** Returns a text as it is shown. */
  async show(text: SpilledText, maxBytes: number): Promise<ConversationText> {
    if ('text' in text) return shownText(text.text, maxBytes);
    const kept = this.shown.get(text.ref.hash);
    if (kept !== undefined && maxBytes === maxShownBytes) return kept;
    const whole = await readSpilled(this.store, text, 'text of a conversation');
    this.shown.set(text.ref.hash, shownText(whole, maxShownBytes));
    return shownText(whole, maxBytes);
  }
}
