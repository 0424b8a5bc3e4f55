import { mediaTypes } from '../domain/store/blob-ref';
import { BlobCorruptError } from '../domain/store/errors';
import { inlineTextBytes, type SpilledText } from '../domain/store/spilled';
import type { RunStore } from '../domain/store/store';
import { decodeUtf8 } from './utf8';

/** Returns a short text inline, and stores a long one as a blob. */
export async function spillText(
  store: RunStore,
  text: string,
  mediaType: string = mediaTypes.text,
): Promise<SpilledText> {
  const bytes = Buffer.from(text, 'utf8');
  // Decoded again, because encoding replaces invalid Unicode: short and long texts must read back the same.
  if (bytes.byteLength <= inlineTextBytes) return { text: bytes.toString('utf8') };
  return { ref: await store.put(bytes, mediaType) };
}

/** Returns a text that `spillText` returned inline or stored. */
export async function readSpilled(store: RunStore, spilled: SpilledText, neededBy: string): Promise<string> {
  if ('text' in spilled) return spilled.text;
  const text = decodeUtf8(await store.get(spilled.ref, neededBy));
  if (text === undefined) throw new BlobCorruptError(store.runId, spilled.ref.hash, neededBy, 'it is not UTF-8 text');
  return text;
}

/** Returns the size of a value in history, in bytes of JSON, for comparison with `maxPayloadBytes`. */
export function measurePayload(value: unknown): number {
  // A value without a JSON form, such as `undefined`, is sent as an empty payload.
  const json = JSON.stringify(value) as string | undefined;
  return json === undefined ? 0 : Buffer.byteLength(json, 'utf8');
}
