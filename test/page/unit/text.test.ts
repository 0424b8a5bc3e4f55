import { chunks } from '../../../page/text/chunks';
import { visibleParts, withoutInvisible } from '../../../page/text/invisible';
import { firstLines, jsonFields } from '../../../page/text/json-fields';
import { maxColouredLine, mayColour, readWithLimits } from '../../../page/text/limits';
import { type MarkdownNode, markdownTree } from '../../../page/text/markdown-tree';
import { decodeHTMLStrict } from '../../../page/text/markdown-it-parts';

const p = (...children: MarkdownNode[]): MarkdownNode => ({ kind: 'element', tag: 'p', children });
const element = (tag: string, ...children: MarkdownNode[]): MarkdownNode =>
  ({ kind: 'element', tag, children }) as MarkdownNode;

/** The children of the one paragraph of a text. */
function onlyParagraph([first]: readonly MarkdownNode[]): { readonly children: readonly MarkdownNode[] } {
  if (typeof first !== 'object' || !('children' in first)) throw new Error('The text is no paragraph');
  return first;
}

describe('markdown', () => {
  test('becomes nodes of known kinds', () => {
    expect(markdownTree('# One\n\nA **b** *c* ~~d~~ `e`  \nf\n\n- x\n- y\n\n---\n\n> z')).toEqual([
      element('h1', 'One'),
      p(
        'A ',
        element('strong', 'b'),
        ' ',
        element('em', 'c'),
        ' ',
        element('s', 'd'),
        ' ',
        { kind: 'inline-code', text: 'e' },
        { kind: 'line', tag: 'br' },
        'f',
      ),
      element('ul', element('li', 'x'), element('li', 'y')),
      { kind: 'line', tag: 'hr' },
      element('blockquote', p('z')),
    ]);
  });

  test('has code with its language, numbered lists and tables', () => {
    const [code, list, table] = markdownTree(
      '```ts title=x\nconst a = 1;\n```\n\n3. c\n\n| a | b |\n| - | -: |\n| 1 | 2 |',
    );
    expect(code).toEqual({ kind: 'code', text: 'const a = 1;', language: 'ts' });
    expect(list).toMatchObject({ tag: 'ol', start: 3 });
    expect(JSON.stringify(table)).toContain('"tag":"td","children":["2"],"align":"right"');
  });

  test('shows HTML as it was written', () => {
    const html = '<script>alert(1)</script> <img src=x onerror=alert(1)>';
    expect(markdownTree(html)).toEqual([p(html)]);
  });

  test.each([
    ['javascript:alert(1)', '[x](javascript:alert(1))'],
    ['data:text/html,x', '[x](data:text/html,x)'],
    ['a path', 'x (src/a.ts)', '[x](src/a.ts)'],
    ['file:', '[x](file:///etc/passwd)'],
    ['vbscript:', '[x](vbscript:x)'],
  ])('a link to %s is text', (_, text, written = text) => {
    const [paragraph] = markdownTree(written);
    expect((paragraph as { children: readonly string[] }).children.join('')).toBe(text);
  });

  test('a link says its host unless its text does', () => {
    const links = markdownTree(
      '[docs](https://a.example/b) <https://a.example/> [a.example](https://a.example) [m](mailto:a@b.c)',
    );
    const paragraph = onlyParagraph(links);
    const hosts = paragraph.children
      .filter((node) => typeof node !== 'string')
      .map((node) => ('host' in node ? node.host : ''));
    expect(hosts).toEqual(['a.example', null, null, 'a@b.c']);
  });

  test('a host that looks like another is shown as it is sent', () => {
    // The first letter is Cyrillic.
    const paragraph = onlyParagraph(markdownTree('[apple.com](https://аpple.com/)'));
    expect(paragraph.children[0]).toMatchObject({ host: 'xn--pple-43d.com' });
  });

  test('an image is never loaded', () => {
    expect(markdownTree('![a cat](https://evil.example/cat.png) ![](data:image/png;base64,AA==)')).toEqual([
      p({ kind: 'image', alt: 'a cat', host: 'evil.example' }, ' ', { kind: 'image', alt: '', host: null }),
    ]);
  });

  test('deep nesting does not overflow', () => {
    expect(JSON.stringify(markdownTree('>'.repeat(20_000)))).toContain('blockquote');
  });

  test('the page decodes the entities that people write', () => {
    expect(decodeHTMLStrict('&lt;b&gt; &amp; &#65;&#x42; &hellip; &Gfr; &#0;')).toBe('<b> & AB … &Gfr; \ufffd');
  });
});

describe('invisible characters', () => {
  test('are marks, with their names', () => {
    expect(visibleParts('user\u202Etxt.exe\u200b')).toEqual([
      'user',
      { code: 'U+202E', name: 'right-to-left override' },
      'txt.exe',
      { code: 'U+200B', name: 'zero width space' },
    ]);
    expect(visibleParts('\u{e0041}\u001b[31m\ud800')).toMatchObject([
      { code: 'U+E0041' },
      { code: 'U+001B', name: 'escape' },
      '[31m',
      { code: 'U+D800', name: 'half of a character' },
    ]);
  });

  test('line breaks, tabs, letters and emoji are not', () => {
    const text = 'a\tb\r\nçé漢字 👩‍👩‍👧 ❤️';
    expect(visibleParts(text)).toEqual([text]);
    expect(visibleParts('')).toEqual([]);
  });

  test('are replaced in names', () => {
    expect(withoutInvisible('a\u202Eb')).toBe('a\ufffdb');
  });
});

describe('JSON', () => {
  test('is fields with strings as they are', () => {
    expect(jsonFields('{"path":"a\\nb","n":12,"ok":null,"list":[1,{}]}')).toEqual({
      kind: 'group',
      isList: false,
      summary: 'path, n, ok, 1 more',
      fields: [
        { key: 'path', value: { kind: 'text', text: 'a\nb' } },
        { key: 'n', value: { kind: 'literal', text: '12' } },
        { key: 'ok', value: { kind: 'literal', text: 'null' } },
        {
          key: 'list',
          value: {
            kind: 'group',
            isList: true,
            summary: '2 items',
            fields: [
              { key: '1', value: { kind: 'literal', text: '1' } },
              { key: '2', value: { kind: 'group', isList: false, fields: [], summary: 'no fields' } },
            ],
          },
        },
      ],
    });
  });

  test.each(['plain', '12', '"text"', '{"cut":', ''])('%j is not', (text) => {
    expect(jsonFields(text)).toBeUndefined();
  });

  test('long texts show their first lines', () => {
    const text = Array.from({ length: 25 }, (_, line) => `${line}`).join('\n');
    expect(firstLines(text)).toEqual({ head: text.split('\n').slice(0, 20).join('\n'), more: 5 });
    expect(firstLines('a\nb')).toEqual({ head: 'a\nb', more: 0 });
  });
});

describe('limits', () => {
  test('a text that was slow once is not read again', () => {
    let [time, reads] = [0, 0];
    const read = (): string => {
      time += 201;
      reads += 1;
      return 'read';
    };
    expect(readWithLimits('test', 'slow', read, () => time)).toBeUndefined();
    expect(readWithLimits('test', 'slow', read, () => time)).toBeUndefined();
    expect(reads).toBe(1);
    expect(
      readWithLimits(
        'test',
        'quick',
        () => 'read',
        () => time,
      ),
    ).toBe('read');
  });

  test('a parser that throws leaves the text plain', () => {
    const overflow = (): string => {
      throw new RangeError('Maximum call stack size exceeded');
    };
    expect(readWithLimits('test', 'deep', overflow, () => 0)).toBeUndefined();
  });

  test('long code and long lines get no colours', () => {
    expect(mayColour('a\n'.repeat(100))).toBe(true);
    expect(mayColour('a\n'.repeat(10_000))).toBe(false);
    expect(mayColour('a'.repeat(maxColouredLine + 1))).toBe(false);
  });

  test('a huge text is cut at line ends, and nothing is lost', () => {
    const lines = Array.from({ length: 1_000 }, (_, line) => `line ${line}`).join('\n');
    expect(chunks(lines, 500).join('\n')).toBe(lines);
    expect(chunks('\n'.repeat(2_500)).join('\n')).toBe('\n'.repeat(2_500));
    expect(chunks('')).toEqual(['']);
    const one = '😀'.repeat(500);
    expect(chunks(one, 99).join('')).toBe(one);
    expect(chunks(one, 99).every((piece) => !/\p{Cs}/u.test(piece))).toBe(true);
  });
});
