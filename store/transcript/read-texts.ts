import { mapWithLimit } from '../../domain/kernel/concurrency';
import type { BlobRef } from '../../domain/store/blob-ref';
import { BlobCorruptError } from '../../domain/store/errors';
import type { RunStore } from '../../domain/store/store';
import { readSpilled } from '../spill';
import type { Texts } from './assemble';

const readsAtATime = 8;

/** Reads every text that the refs point to, each at most once, and only if `known` does not have it. */
export async function readTexts(
  store: RunStore,
  refs: readonly BlobRef[],
  known: (ref: BlobRef) => string | undefined,
): Promise<Texts> {
  const distinct = new Map(refs.map((ref) => [ref.hash, ref]));
  const texts = new Map<string, string>();
  await mapWithLimit([...distinct.values()], readsAtATime, async (ref) => {
    texts.set(ref.hash, known(ref) ?? (await readSpilled(store, { ref }, 'tool result in a transcript')));
  });
  for (const ref of refs) checkLength(store, ref, texts.get(ref.hash) ?? '');
  return texts;
}

/**
 * Checks the length of a text. The store checks what it reads itself; texts from packs and from the cache are checked
 * here.
 */
function checkLength(store: RunStore, ref: BlobRef, text: string): void {
  const bytes = Buffer.byteLength(text, 'utf8');
  if (bytes === ref.bytes) return;
  const found = `it is ${bytes} bytes instead of ${ref.bytes}`;
  throw new BlobCorruptError(store.runId, ref.hash, 'tool result in a transcript', found);
}
