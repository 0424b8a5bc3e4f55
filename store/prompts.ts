import { z } from 'zod';
import { promptRecordSchema, type PromptRecord } from '../domain/agent/prompt-record';
import type { PromptPart } from '../domain/prompt';
import { canonicalJson } from '../domain/json';
import { blobRefSchema, mediaTypes, type BlobRef } from '../domain/store/blob-ref';
import { BlobCorruptError, BlobMissingError } from '../domain/store/errors';
import type { RunStore } from '../domain/store/store';
import { sha256 } from './digest';

/** A composed prompt in the store: pieces of other contents, since most of it is its parent's prompt. */
const manifestSchema = z.strictObject({
  version: z.literal(1),
  parts: z.array(z.strictObject({ ref: blobRefSchema, start: z.int().nonnegative(), end: z.int().nonnegative() })),
});

interface Composed {
  readonly bytes: Uint8Array;
  readonly hash: string;
  readonly parts: readonly PromptPart[];
}

/** Stores what is new in a composed prompt, and where the rest stands. Its ref is that of the assembled bytes. */
export async function putComposedPrompt(store: RunStore, composed: Composed, parent: BlobRef): Promise<BlobRef> {
  const literals = composed.parts.map((part) => ('literal' in part ? Buffer.from(part.literal) : undefined));
  const text = await store.put(Buffer.concat(literals.flatMap((literal) => literal ?? [])), mediaTypes.markdown);
  // With the parent's prompt withheld there is nothing else: the text is the prompt, and a list of parts would name itself.
  if (text.hash === composed.hash) return text;
  let at = 0;
  const parts = composed.parts.map((part, index) => {
    if (!('literal' in part)) return { ref: parent, ...part.parentRange };
    const start = at;
    at += literals[index]?.length ?? 0;
    return { ref: text, start, end: at };
  });
  await store.putIfAbsent(manifestKey(composed.hash), Buffer.from(canonicalJson({ version: 1, parts })));
  return { hash: composed.hash, bytes: composed.bytes.length, mediaType: mediaTypes.markdown };
}

/** A prompt's exact bytes, whether it was stored whole or as a manifest; verified either way. */
export async function loadPrompt(store: RunStore, ref: BlobRef, neededBy: string): Promise<Uint8Array> {
  const manifest = await store.find(manifestKey(ref.hash));
  if (manifest === undefined) return store.get(ref, neededBy);
  const { parts } = parseManifest(store, ref, manifest);
  // Several parts are cut out of one text.
  const texts = new Map<string, Uint8Array>();
  for (const { ref: text } of parts) {
    if (!texts.has(text.hash)) texts.set(text.hash, await loadPrompt(store, text, `${neededBy}, part of ${ref.hash}`));
  }
  const bytes = Buffer.concat(parts.flatMap((part) => texts.get(part.ref.hash)?.subarray(part.start, part.end) ?? []));
  if (bytes.length !== ref.bytes || sha256(bytes) !== ref.hash) {
    throw new BlobCorruptError(store.runId, ref.hash, neededBy, 'its parts put together are not what was stored');
  }
  return bytes;
}

function parseManifest(store: RunStore, ref: BlobRef, bytes: Uint8Array): z.infer<typeof manifestSchema> {
  const parsed = manifestSchema.safeParse(JSON.parse(Buffer.from(bytes).toString('utf8')));
  if (parsed.success) return parsed.data;
  throw new BlobMissingError(store.runId, ref.hash, 'the parts of a composed prompt, whose list is not readable');
}

function manifestKey(hash: string): string {
  return `prompt/${hash}`;
}

/** How a prompt came about, kept under the prompt's hash: whoever knows what an agent was told can find out why. */
export async function putPromptRecord(store: RunStore, record: PromptRecord): Promise<void> {
  await store.putIfAbsent(recordKey(record.prompt.hash), Buffer.from(canonicalJson(record)));
}

export async function getPromptRecord(store: RunStore, prompt: BlobRef, neededBy: string): Promise<PromptRecord> {
  const bytes = await store.find(recordKey(prompt.hash));
  if (bytes === undefined) throw new BlobMissingError(store.runId, prompt.hash, `${neededBy} (its record)`);
  const parsed = promptRecordSchema.safeParse(JSON.parse(Buffer.from(bytes).toString('utf8')));
  if (parsed.success) return parsed.data;
  throw new BlobCorruptError(store.runId, prompt.hash, neededBy, 'its record is not readable');
}

function recordKey(hash: string): string {
  return `prompt-record/${hash}`;
}
