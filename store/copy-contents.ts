import { mapWithLimit } from '../domain/kernel';
import { type BlobRef, blobRefSchema, mediaTypes, type RunStore } from '../domain/store';

const copiedAtATime = 16;

/**
 * Copies every content that some values refer to from one run to another, and everything that these contents refer to:
 * transcripts, prompts, tool lists, folders and files. A run can be deleted as a whole, so nothing may depend on the data
 * of another one. What is named but not stored, such as a composed prompt, is left out.
 */
export async function copyContents(from: RunStore, to: RunStore, values: readonly unknown[]): Promise<void> {
  const known = new Set<string>();
  const unknown = (refs: readonly BlobRef[]): BlobRef[] =>
    refs.filter(({ hash }) => !known.has(hash) && known.add(hash));
  for (let wave = unknown(refsIn(values)); wave.length > 0;) {
    const found = await mapWithLimit(wave, copiedAtATime, (ref) => copy(from, to, ref));
    wave = unknown(found.flat());
  }
}

/** Copies a blob. Returns what it refers to. */
async function copy(from: RunStore, to: RunStore, ref: BlobRef): Promise<BlobRef[]> {
  if (!(await from.has(ref))) return [];
  const bytes = await from.get(ref, `a run that continues, "${to.runId}"`);
  await to.put(bytes, ref.mediaType, { later: true });
  return refsIn(jsonIn(bytes));
}

const braces = [0x7b, 0x5b];

/** The JSON that a blob consists of; undefined if it is something else. */
function jsonIn(bytes: Uint8Array): unknown {
  if (!braces.includes(bytes[0] ?? 0)) return undefined;
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Everything in a value that has the hash and the size of a content. */
function refsIn(value: unknown): BlobRef[] {
  if (typeof value !== 'object' || value === null) return [];
  const { hash, newHash, bytes } = value as { hash?: unknown; newHash?: unknown; bytes?: unknown };
  const own = blobRefSchema.safeParse({ hash: hash ?? newHash, bytes, mediaType: mediaTypes.json });
  return [...(own.success ? [own.data] : []), ...Object.values(value).flatMap(refsIn)];
}
