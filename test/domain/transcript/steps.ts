import type { ChainStep } from '../../../domain/transcript';
import type { FetchedText } from '../../../domain/transcript/chain';

export const ref = { hash: 'b'.repeat(64), bytes: 3, mediaType: 'application/json' };

/** A step with a short note. */
export function step(index: number, texts: readonly FetchedText[]): ChainStep {
  return {
    ref,
    link: { v: 1, index, prev: ref, entries: [{ kind: 'note', from: 'engine', text: 'x\ny' }] },
    texts,
    entries: [],
  };
}

export const fetched = (hash: string, text: string): FetchedText => ({ hash, bytes: text.length, text });
