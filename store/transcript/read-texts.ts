import type { BlobRef } from '../../domain/store/blob-ref';
import { BlobCorruptError } from '../../domain/store/errors';
import type { RunStore } from '../../domain/store/store';
import { mapLimited } from '../limit';
import { readSpilled } from '../spill';
import type { Texts } from './assemble';

const readsAtATime = 8;

/** Every text that the refs name, each read at most once, and only if `known` does not have it. */
export async function readTexts(
  store: RunStore,
  refs: readonly BlobRef[],
  known: (ref: BlobRef) => string | undefined,
): Promise<Texts> {
  const distinct = new Map(refs.map((ref) => [ref.hash, ref]));
  const texts = new Map<string, string>();
  await mapLimited([...distinct.values()], readsAtATime, async (ref) => {
    texts.set(ref.hash, known(ref) ?? (await readSpilled(store, { ref }, 'tool result in a transcript')));
  });
  for (const ref of refs) checkLength(store, ref, texts.get(ref.hash) ?? '');
  return texts;
}

/** The store has compared the lengths of what it read itself; this is for texts from packs and from the cache. */
function checkLength(store: RunStore, ref: BlobRef, text: string): void {
  const bytes = Buffer.byteLength(text, 'utf8');
  if (bytes === ref.bytes) return;
  const found = `it has ${bytes} bytes instead of ${ref.bytes}`;
  throw new BlobCorruptError(store.runId, ref.hash, 'tool result in a transcript', found);
}
