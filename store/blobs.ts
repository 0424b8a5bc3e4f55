import { hash } from 'node:crypto';
import type { z } from 'zod';
import { canonicalJson, firstIssue } from '../domain/kernel';
import {
  BlobCorruptError,
  type BlobRef,
  inlineTextBytes,
  mediaTypes,
  type RunStore,
  type SpilledText,
} from '../domain/store';

/** Matches every text that refers to a blob, which only its hash can do. */
export const anyHash = /[0-9a-f]{64}/;

/** Stores a value as its canonical JSON. */
export function putJson(store: RunStore, value: unknown): Promise<BlobRef> {
  return store.put(Buffer.from(canonicalJson(value)), mediaTypes.json);
}

/**
 * Loads a value that `putJson` stored. Throws if it does not match the schema, because this version did not write it.
 */
export async function getJson<Schema extends z.ZodType>(
  store: RunStore,
  ref: BlobRef,
  schema: Schema,
  neededBy: string,
): Promise<z.infer<Schema>> {
  return parseStored(store, ref.hash, await store.get(ref, neededBy), schema, neededBy);
}

/**
 * Parses JSON that was stored as a blob or a journal entry; `where` is its hash or key. Throws if it does not match the
 * schema.
 */
export function parseStored<Schema extends z.ZodType>(
  { runId }: RunStore,
  where: string,
  bytes: Uint8Array,
  schema: Schema,
  neededBy: string,
): z.infer<Schema> {
  const parsed = schema.safeParse(jsonIn(bytes));
  if (parsed.success) return parsed.data;
  const { field, reason } = firstIssue(parsed.error, 'value');
  throw new BlobCorruptError(runId, where, neededBy, `${field}: ${reason}`);
}

/** The parsed JSON; undefined, which no schema of a stored value accepts, when the bytes are not JSON. */
function jsonIn(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Returns a text of up to `inlineBytes` inline, and stores a longer one as a blob. */
export async function spillText(
  store: RunStore,
  text: string,
  mediaType: string = mediaTypes.text,
  inlineBytes: number = inlineTextBytes,
): Promise<SpilledText> {
  const spilled = spilledForm(text, mediaType, inlineBytes);
  if ('ref' in spilled) await store.put(Buffer.from(text, 'utf8'), mediaType);
  return spilled;
}

/** Returns what `spillText` returns, without storing anything. */
export function spilledForm(
  text: string,
  mediaType: string = mediaTypes.text,
  inlineBytes: number = inlineTextBytes,
): SpilledText {
  const bytes = Buffer.from(text, 'utf8');
  // Decoded again, because encoding replaces invalid Unicode: short and long texts must read back the same.
  if (bytes.byteLength <= inlineBytes) return { text: bytes.toString('utf8') };
  return { ref: { hash: sha256(bytes), bytes: bytes.byteLength, mediaType } };
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

// A byte order mark is part of the text: without it, the text would have a different hash.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Decodes UTF-8; undefined when the bytes are not valid UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Returns the SHA-256 in lower-case hex. Uses the platform's implementation, which is tens of times faster than the
 * pure JavaScript one that the workflow sandbox needs.
 */
export function sha256(data: string | Uint8Array): string {
  return hash('sha256', data, 'hex');
}
