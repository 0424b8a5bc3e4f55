import { mediaTypes } from '../domain/store/blob-ref';
import type { RunStore } from '../domain/store/store';

/** About 25,000 tokens: what one result may take of a window. */
const maxResultBytes = 100 * 1024;
const headBytes = 16 * 1024;

/** A result too big for the window is stored whole, and the model gets its head, its size and what to do. */
export async function limitResult(store: RunStore, message: string): Promise<string> {
  const bytes = Buffer.from(message, 'utf8');
  if (bytes.length <= maxResultBytes) return message;
  const { hash } = await store.put(bytes, mediaTypes.text);
  const head = new TextDecoder('utf-8', { ignoreBOM: true })
    .decode(bytes.subarray(0, headBytes))
    .replace(/\uFFFD$/, '');
  return `${head}\n[cut here: the whole result has ${bytes.length} bytes (stored as ${hash}). Ask for a smaller part.]`;
}
