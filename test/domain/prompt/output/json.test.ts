import fc from 'fast-check';
import { canonicalJson } from '../../../../domain/kernel';
import { checkOutput, type JsonSchema } from '../../../../domain/prompt/output';
import { maxOutputCharacters } from '../../../../domain/prompt/output/check-output';
import { violationIn } from './support';

const review: JsonSchema = {
  type: 'object',
  properties: {
    verdict: { type: 'string', enum: ['pass', 'fail'] },
    findings: { type: 'array', items: { type: 'object', properties: { line: { type: 'integer', minimum: 1 } } } },
  },
  required: ['verdict'],
  additionalProperties: false,
};

describe('an answer in JSON', () => {
  test('is accepted when it is one value that the schema accepts, and returned in canonical form', () => {
    expect(checkOutput({ json: review }, '\n{ "verdict": "pass",\n  "findings": [] }\n')).toEqual({
      ok: true,
      value: { verdict: 'pass', findings: [] },
      text: '{"findings":[],"verdict":"pass"}',
    });
  });

  test.each(['```json\n{"verdict":"pass"}\n```', '\n```\r\n{"verdict":"pass"}```  '])(
    'may be in one code fence, as a wrapped prompt asks for it: %j',
    (text) => {
      expect(checkOutput({ json: review }, text)).toMatchObject({ ok: true, text: '{"verdict":"pass"}' });
    },
  );

  test.each([
    ['nothing', ' ', /it is empty/],
    ['a word before it', 'Here you are: {"verdict":"pass"}', /begins with "Here you are.*nothing before it/],
    ['a word after it', '{"verdict":"pass"} Any questions?', /nothing after it/],
    ['two values', '{"verdict":"pass"}{"verdict":"fail"}', /nothing after it/],
    ['a word before its code fence', 'Here:\n```json\n{"verdict":"pass"}\n```', /begins with "Here:/],
    ['two code fences', '```json\n{"verdict":"pass"}\n```\n```json\n{}\n```', /nothing after it/],
    ['an open code fence', '```json\n{"verdict":"pass"}', /not valid JSON/],
    ['half of it', '{"verdict":"pa', /not valid JSON/],
    ['a byte order mark', '\ufeff{"verdict":"pass"}', /not valid JSON/],
    ['a missing property', '{}', /^verdict: /],
    ['a property nobody asked for', '{"verdict":"pass","more":1}', /^the message: .*more/],
    ['a value that is not in the list', '{"verdict":"maybe"}', /^verdict: .*"pass"/],
    ['a wrong value deep inside', '{"verdict":"fail","findings":[{"line":1},{"line":0}]}', /^findings\[1\]\.line: /],
  ])('is refused with %s, and the violation names the problem and its place', (_, text, expected) => {
    expect(violationIn({ json: review }, text)).toMatch(expected);
  });

  test('is returned unchanged, whatever it is', () => {
    const open: JsonSchema = { type: 'object' };
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 5 })), (value) => {
        const text = canonicalJson(value);
        expect(checkOutput({ json: open }, JSON.stringify(value, undefined, 2))).toMatchObject({ ok: true, text });
      }),
    );
  });

  test('with a key like __proto__ is returned completely', () => {
    const text = '{"__proto__":{"a":1},"constructor":2}';
    expect(checkOutput({ json: { type: 'object' } }, text)).toMatchObject({ ok: true, text });
  });

  test.each([
    ['ten thousand levels', `${'['.repeat(10_000)}${']'.repeat(10_000)}`],
    ['two hundred thousand levels', `${'[{"a":'.repeat(100_000)}1${'}]'.repeat(100_000)}`],
  ])('of %s is refused', (_, text) => {
    expect(violationIn({ json: { type: 'array' } }, text)).toMatch(/more than 32 levels/);
  });

  test('that is too long is refused without parsing', () => {
    expect(violationIn({ json: { type: 'string' } }, '"'.repeat(maxOutputCharacters + 1))).toMatch(
      /1000001 characters/,
    );
  });

  test('with a number that cannot be represented is refused', () => {
    expect(violationIn({ json: { type: 'array' } }, '[1e999]')).toMatch(/out of range/);
  });
});
