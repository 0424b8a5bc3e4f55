import fc from 'fast-check';
import {
  assembleParts,
  composePrompt,
  extractParent,
  PromptError,
  startMarker,
  wrapPrompt,
} from '../../../domain/prompt';
import { assembleVerified } from '../../../domain/prompt/document';
import { endMarker } from '../../../domain/prompt/markers';
import { bareCompose, bareWrap, bytesOf, compose, sha256, textOf, wrap } from './samples';

/** Text that is likely to break embedding: markers, fences, headings, every kind of line break, astral characters. */
const awkward = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        startMarker,
        endMarker,
        `\n${startMarker}\n`,
        `\n${endMarker}\n`,
        '\r\n',
        '\n',
        '  \n',
        '\t',
        '```\n',
      ),
      fc.constantFrom('# Delegation Overview\n', '## Parent Prompt\n', '${repo_root}', '\u{feff}', '\u2028', '😀', 'é'),
    ),
    { minLength: 1, maxLength: 12 },
  )
  .map((pieces) => pieces.join(''))
  .filter((text) => text !== '');

describe('the parent prompt can be extracted byte for byte', () => {
  test('from a six-section prompt', () => {
    fc.assert(
      fc.property(awkward, (parent) => {
        expect(textOf(extractParent(compose(bareCompose(parent)).bytes))).toBe(parent);
      }),
      { numRuns: 400 },
    );
  });

  test('from a thin wrapper, with and without a recap', () => {
    fc.assert(
      fc.property(awkward, fc.boolean(), (parent, recap) => {
        const document = bareWrap(parent) as { delegation: object };
        const recapLines = recap ? ['Look again.'] : [];
        const wrapped = wrap({ ...document, delegation: { ...document.delegation, recapLines } });
        expect(textOf(extractParent(wrapped.bytes))).toBe(parent);
      }),
      { numRuns: 400 },
    );
  });

  test('from eight levels of both kinds, for every ancestor', () => {
    fc.assert(
      fc.property(awkward, fc.array(fc.boolean(), { minLength: 1, maxLength: 8 }), (root, levels) => {
        const chain = [root];
        for (const wrapped of levels) {
          const parent = chain.at(-1)!;
          chain.push(textOf((wrapped ? wrap(bareWrap(parent)) : compose(bareCompose(parent))).bytes));
        }
        let prompt = bytesOf(chain.pop()!);
        for (const parent of chain.reverse()) {
          prompt = extractParent(prompt);
          expect(textOf(prompt)).toBe(parent);
        }
      }),
      { numRuns: 150 },
    );
  });

  test('at a size of one megabyte', () => {
    const line = `Ein Satz – mit “Zeichen” 漢字 😀.\r\n${startMarker}\n${endMarker}\n`;
    const parent = line.repeat(Math.ceil(1_000_000 / Buffer.byteLength(line)));
    expect(sha256(extractParent(compose(bareCompose(parent)).bytes))).toBe(sha256(bytesOf(parent)));
    expect(sha256(extractParent(wrap(bareWrap(parent)).bytes))).toBe(sha256(bytesOf(parent)));
  });

  test('whatever its length and its alignment in memory', () => {
    for (let length = 1; length < 40; length += 1) {
      const parent = 'x'.repeat(length);
      expect(textOf(extractParent(compose(bareCompose(parent)).bytes))).toBe(parent);
    }
  });
});

describe('a composed prompt', () => {
  test('consists of its parts, and is identified by the hash of its bytes', () => {
    fc.assert(
      fc.property(awkward, (parent) => {
        for (const result of [compose(bareCompose(parent)), wrap(bareWrap(parent))]) {
          const assembled = assembleParts(result.parts, bytesOf(parent));
          expect(Buffer.compare(assembled, result.bytes)).toBe(0);
          expect(sha256(assembled)).toBe(result.hash);
        }
      }),
      { numRuns: 100 },
    );
  });

  test('does not repeat the parent prompt in its parts', () => {
    const { parts } = compose(bareCompose('parent '.repeat(1000)));
    expect(parts.filter((part) => 'parentRange' in part)).toEqual([{ parentRange: { start: 0, end: 7000 } }]);
    expect(JSON.stringify(parts)).not.toContain('parent parent');
  });

  test('has the same hash with either SHA-256 implementation', () => {
    expect(composePrompt(bareCompose('p'))).toEqual(composePrompt(bareCompose('p'), { sha256 }));
    expect(wrapPrompt(bareWrap('p'))).toEqual(wrapPrompt(bareWrap('p'), { sha256 }));
  });
});

test('nothing is returned when the parent prompt cannot be extracted unchanged', () => {
  const broken = [{ literal: `${startMarker}\n` }, { parentRange: { start: 0, end: 3 } }, { literal: 'no end' }];
  expect(() => assembleVerified(broken, bytesOf('abc'), {})).toThrow(PromptError);
  const shifted = [
    { literal: `${startMarker}\nx` },
    { parentRange: { start: 0, end: 3 } },
    { literal: `\n${endMarker}` },
  ];
  expect(() => assembleVerified(shifted, bytesOf('abc'), {})).toThrow('cannot be extracted');
});

describe('extraction', () => {
  test('uses the first START line and the last END line', () => {
    const text = `${startMarker} is a marker\n${startMarker}\na\n${endMarker}\nb\n${endMarker}\nsays ${endMarker}`;
    expect(textOf(extractParent(bytesOf(text)))).toBe(`a\n${endMarker}\nb`);
  });

  test.each([
    ['no markers', 'a prompt'],
    ['only a start', `${startMarker}\nx`],
    ['an end before the start', `${endMarker}\n${startMarker}\nx`],
    ['nothing between them, not even a line', `${startMarker}\n${endMarker}\n`],
    ['nothing', ''],
  ])('refuses a text with %s', (_, text) => {
    expect(() => extractParent(bytesOf(text))).toThrow(PromptError);
  });
});
