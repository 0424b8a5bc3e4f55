import { parseStrictJson, visibleJson, visibleText } from '../../../domain/kernel';

const nasty = {
  'an escape sequence': '\u001b[31mred\u001b[0m',
  'a terminal title': '\u001b]0;owned\u0007',
  'a C1 control': '\u009b31m',
  'a carriage return': 'safe\roverwritten',
  'a backspace': 'ab\b\bcd',
  'a bidirectional override': '\u202eexe.fdp\u2066',
  'a zero-width space': 'a\u200bb\ufeff',
  'a tag character': 'a\u{e0041}b',
  'a line separator': 'a\u2028b\u2029c',
  'half a character': 'a\ud800b',
  'a null': 'a\0b',
};
const forbidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;

describe('text that is printed', () => {
  test.each(Object.entries(nasty))('shows %s instead of obeying it', (_, text) => {
    expect(visibleText(text)).not.toMatch(forbidden);
    expect(visibleText(visibleText(text))).toBe(visibleText(text));
    expect(visibleText(text)).toMatch(/\\u\{[0-9A-F]{2,5}\}/);
  });

  test.each(Object.entries(nasty))('as JSON means the same with %s', (_, text) => {
    const json = visibleJson({ [text]: [text] });
    expect(json).not.toMatch(forbidden);
    expect(JSON.parse(json)).toEqual({ [text]: [text] });
  });

  test('keeps lines, tabs and every letter', () => {
    expect(visibleText('Grüße,\r\n\t世界 👍🏽 – “x”\n')).toBe('Grüße,\n\t世界 👍🏽 – “x”\n');
  });
});

describe('JSON that is read', () => {
  test.each([
    ['{"a":1,"a":2}', '"a"'],
    ['{"a":{"b":1,"c":{},"b":2}}', '"b"'],
    ['[{"x":1},{"x":1,"y":[{"x":2}],"x":3}]', '"x"'],
    ['{"a":1,"\\u0061":2}', '"\\u0061"'],
    ['{"__proto__":1,"__proto__":2}', '"__proto__"'],
  ])('%s has a key twice', (text, key) => {
    expect(() => parseStrictJson(text)).toThrow(`the key ${key} occurs twice in the same object`);
  });

  test.each(['{"a":{"a":1},"b":"a\\": 1, \\"a"}', '["a","a"]', '{"a":"a"}', '3', '"{\\"a\\":1,\\"a\\":2}"'])(
    '%s has none twice',
    (text) => {
      expect(parseStrictJson(text)).toEqual(JSON.parse(text));
    },
  );
});
