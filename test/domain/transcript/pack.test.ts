import { encodeLink, encodePack, parsePack } from '../../../domain/transcript';
import { maxPackedBytes, maxPackedTextsBytes } from '../../../domain/transcript/pack';
import { fetched, ref, step } from './steps';

test('a pack contains its links as they were hashed, and each text once', () => {
  const steps = [step(5, [fetched('one', 'a\nb')]), step(6, [fetched('one', 'a\nb'), fetched('two', '')])];
  expect(parsePack(encodePack(steps))).toEqual({
    ok: {
      from: 5,
      links: steps.map(({ link }) => ({ text: encodeLink(link) })),
      texts: [
        { hash: 'one', text: 'a\nb' },
        { hash: 'two', text: '' },
      ],
    },
  });
});

test('large texts are not packed, and the size of a pack is bounded', () => {
  const text = 'x'.repeat(maxPackedBytes);
  const texts = Array.from({ length: 3_000 }, (_, n) => fetched(`${n}`, text));
  const parsed = parsePack(encodePack([step(1, [fetched('large', `${text}x`), ...texts])]));
  const hashes = 'ok' in parsed ? parsed.ok.texts.map(({ hash }) => hash) : [];
  expect(hashes).not.toContain('large');
  expect(hashes.length).toBe(maxPackedTextsBytes / maxPackedBytes);
});

test('a link with a large text is only named, because the text has to be read as well', () => {
  const steps = [step(5, [fetched('large', 'x'.repeat(maxPackedBytes + 1))]), step(6, [])];
  expect(parsePack(encodePack(steps))).toMatchObject({
    ok: { links: [{ hash: ref.hash, bytes: ref.bytes }, { text: encodeLink(steps[1]!.link) }], texts: [] },
  });
});

test('a large link is only named', () => {
  const steps = [step(5, []), { ...step(6, []), ref: { ...ref, bytes: maxPackedBytes + 1 } }];
  expect(parsePack(encodePack(steps))).toMatchObject({
    ok: { links: [{ text: encodeLink(steps[0]!.link) }, { hash: ref.hash, bytes: maxPackedBytes + 1 }] },
  });
});

test('a pack of another version is refused', () => {
  expect(parsePack('{"from":0,"links":1,"v":1}\n{}')).toMatchObject({
    problem: expect.stringContaining('header') as unknown,
  });
});
