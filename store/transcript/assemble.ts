import { InvalidInputError, mapWithLimit } from '../../domain/kernel';
import { BlobCorruptError, type BlobRef, type RunStore } from '../../domain/store';
import {
  type ChainStep,
  type LoadedTranscript,
  type OpeningEntry,
  resolveEntry,
  textRefs,
  type TranscriptLink,
} from '../../domain/transcript';
import { readSpilled } from '../blobs';

/** A verified link with its ref. */
export interface VerifiedLink {
  readonly ref: BlobRef;
  readonly link: TranscriptLink;
}

/** Texts by their hash. */
export type Texts = ReadonlyMap<string, string>;

/** Combines a verified link with its texts into a frozen step. */
export function toStep({ ref, link }: VerifiedLink, texts: Texts): ChainStep {
  const textOf = (wanted: BlobRef): string => texts.get(wanted.hash) ?? '';
  const refs = textRefs(link.entries);
  return deepFreeze({
    ref,
    link,
    texts: refs.map((wanted) => ({ hash: wanted.hash, bytes: wanted.bytes, text: textOf(wanted) })),
    entries: link.entries.map((entry) => resolveEntry(entry, textOf)),
  });
}

/** Returns the transcript that consists of `base` followed by these steps. */
export function appendSteps(base: LoadedTranscript | undefined, added: readonly ChainStep[]): LoadedTranscript {
  const steps = [...(base?.steps ?? []), ...added];
  const last = steps[steps.length - 1];
  if (!last) throw new InvalidInputError('transcript', 'it has no links', 'Start it with its opening entry.');
  const bytes = added.reduce((sum, step) => sum + bytesInMemory(step), base?.bytes ?? 0);
  return Object.freeze({
    head: last.ref,
    length: steps.length,
    opening: openingOf(steps),
    entries: Object.freeze([...(base?.entries ?? []), ...added.flatMap((step) => step.entries)]),
    steps: Object.freeze(steps),
    bytes,
  });
}

function openingOf(steps: readonly ChainStep[]): OpeningEntry {
  const first = steps[0]?.link.entries[0];
  if (first?.kind === 'opening') return first;
  throw new InvalidInputError('transcript', 'it does not start with an opening', 'Start it with its opening entry.');
}

/**
 * Estimates the memory of a step in bytes: text takes up to two bytes per character; the overhead of JSON objects is a
 * guess.
 */
function bytesInMemory({ ref, texts }: ChainStep): number {
  return 500 + 3 * ref.bytes + texts.reduce((sum, text) => sum + 2 * text.text.length, 0);
}

/**
 * Freezes a value deeply. Cached transcripts are shared, so a caller that changed one would change what others send to
 * the model.
 */
function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}

const readsAtATime = 32;

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
