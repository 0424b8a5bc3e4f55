import { mediaTypes } from '../domain/store/blob-ref';
import { BlobCorruptError } from '../domain/store/errors';
import { inlineTextBytes, type SpilledText } from '../domain/store/spilled';
import type { RunStore } from '../domain/store/store';
import { decodeUtf8 } from './utf8';

/** Keeps a short text as it is and puts a long one into the store. */
export async function spillText(
  store: RunStore,
  text: string,
  mediaType: string = mediaTypes.text,
): Promise<SpilledText> {
  const bytes = Buffer.from(text, 'utf8');
  // Decoded again, because encoding replaces what is no Unicode: long and short texts are to come back alike.
  if (bytes.byteLength <= inlineTextBytes) return { text: bytes.toString('utf8') };
  return { ref: await store.put(bytes, mediaType) };
}

export async function readSpilled(store: RunStore, spilled: SpilledText, neededBy: string): Promise<string> {
  if ('text' in spilled) return spilled.text;
  const text = decodeUtf8(await store.get(spilled.ref, neededBy));
  if (text === undefined) throw new BlobCorruptError(store.runId, spilled.ref.hash, neededBy, 'it is not UTF-8 text');
  return text;
}

/** What a value takes in history, in bytes of JSON; to be compared with `maxPayloadBytes`. */
export function measurePayload(value: unknown): number {
  // A value without a JSON form, `undefined` for one, is sent as an empty payload.
  const json = JSON.stringify(value) as string | undefined;
  return json === undefined ? 0 : Buffer.byteLength(json, 'utf8');
}
