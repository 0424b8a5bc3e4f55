import { type ChainStep, encodeLink, encodePack, parsePack } from '../../../domain/transcript';
import type { FetchedText } from '../../../domain/transcript/chain';
import { maxPackedTextBytes, maxPackedTextsBytes } from '../../../domain/transcript/pack';

const ref = { hash: 'b'.repeat(64), bytes: 3, mediaType: 'application/json' };

function step(index: number, texts: readonly FetchedText[]): ChainStep {
  return {
    ref,
    link: { v: 1, index, prev: ref, entries: [{ kind: 'note', from: 'engine', text: 'x\ny' }] },
    texts,
    entries: [],
  };
}

const fetched = (hash: string, text: string): FetchedText => ({ hash, bytes: text.length, text });

test('a pack contains its links as they were hashed, and each text once', () => {
  const steps = [step(5, [fetched('one', 'a\nb')]), step(6, [fetched('one', 'a\nb'), fetched('two', '')])];
  expect(parsePack(encodePack(steps))).toEqual({
    ok: {
      from: 5,
      links: steps.map(({ link }) => encodeLink(link)),
      texts: [
        { hash: 'one', text: 'a\nb' },
        { hash: 'two', text: '' },
      ],
    },
  });
});

test('large texts are not packed, and the size of a pack is bounded', () => {
  const text = 'x'.repeat(maxPackedTextBytes);
  const texts = Array.from({ length: 100 }, (_, n) => fetched(`${n}`, text));
  const parsed = parsePack(encodePack([step(1, [fetched('large', `${text}x`), ...texts])]));
  const hashes = 'ok' in parsed ? parsed.ok.texts.map(({ hash }) => hash) : [];
  expect(hashes).not.toContain('large');
  expect(hashes.length).toBe(maxPackedTextsBytes / maxPackedTextBytes);
});
