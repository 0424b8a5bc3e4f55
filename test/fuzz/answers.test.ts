import fc from 'fast-check';
import type { Json } from '../../domain/kernel';
import { checkOutput, type JsonSchema, type OutputFormat } from '../../domain/prompt/output';
import { maxViolationCharacters } from '../../domain/prompt/output/violation';
import { plan, respond, step } from '../domain/prompt/output/support';
import { type Schema, valuesOf } from './support/from-schema';
import { expectNotQuadratic } from './support/growth';
import { fuzz, type Outcome } from './support/target';
import { changed, hostileText } from './support/values';

const review: JsonSchema = {
  type: 'object',
  properties: {
    verdict: { type: 'string', enum: ['pass', 'fail'] },
    findings: {
      type: 'array',
      items: { type: 'object', properties: { line: { type: 'integer', minimum: 1 }, text: { type: 'string' } } },
    },
    notes: { type: 'array', items: { type: 'string' } },
  },
  required: ['verdict'],
  additionalProperties: false,
};

function check(format: OutputFormat, text: string): Outcome {
  const checked = checkOutput(format, text);
  if (!checked.ok) {
    expect(checked.violation.length).toBeGreaterThan(0);
    expect(checked.violation.length).toBeLessThanOrEqual(maxViolationCharacters);
    return 'refused';
  }
  // What was accepted is JSON, and its canonical form is accepted as well.
  expect(JSON.stringify(checked.value)).toBeDefined();
  if (format.json !== undefined) expect(checkOutput(format, checked.text).ok).toBe(true);
  return 'accepted';
}

const around = fc.constantFrom('', '\n', ' ', '```json\n', '```', '\ufeff', 'Here: ', '<?xml version="1.0"?>');

const json = fc
  .tuple(changed(valuesOf(review as Schema), 0.7), fc.constantFrom('', '', '', '\n'), around, fc.nat(9))
  .map(([value, before, after, cut]) => {
    const text = `${before}${JSON.stringify(value)}${cut < 7 ? '' : after}`;
    return cut === 9 ? text.slice(0, Math.floor(text.length / 2)) : text;
  });

const escaped = (text: string): string => text.replace(/[<>&]/g, (one) => `&#${one.charCodeAt(0)};`);
const piece = fc.oneof(
  { weight: 4, arbitrary: hostileText.map(escaped) },
  { weight: 1, arbitrary: hostileText },
  { weight: 1, arbitrary: fc.constantFrom('<b>x</b>', '<!-- c -->', '<![CDATA[<x>]]>', '&amp;', '&nope;', '<', ']]>') },
);
const xml = fc
  .tuple(piece, fc.array(fc.oneof(fc.constant(step), piece), { maxLength: 4 }), fc.nat(9))
  .map(([goal, steps, kind]) => {
    const text = respond(`<goal>${goal}</goal>${step}${kind < 6 ? '' : steps.join('')}`);
    return kind === 9 ? text.replace('</', '<') : text;
  });

describe('answers of agents', () => {
  fuzz({
    name: 'answers in JSON',
    input: json,
    run: (text) => check({ json: review }, text),
    shares: { accepted: 0.2, refused: 0.2 },
    cases: 2_000,
  });

  fuzz({
    name: 'answers in XML',
    input: xml,
    run: (text) => check(plan, text),
    shares: { accepted: 0.2, refused: 0.2 },
    cases: 2_000,
  });

  test.each<[string, OutputFormat, (size: number) => string]>([
    ['nested lists', { json: review }, (size) => '['.repeat(size)],
    ['many findings', { json: review }, (size) => JSON.stringify({ verdict: 'pass', findings: many(size) })],
    ['many unknown fields', { json: review }, (size) => JSON.stringify({ verdict: 'pass', ...fields(size) })],
    ['an open code fence', { json: review }, (size) => `\`\`\`json\n${' '.repeat(size)}{"verdict":"pass"}`],
    ['much white space', { json: review }, (size) => `{"verdict":"pass"}${' \n'.repeat(size)}x`],
    ['nested elements', plan, (size) => respond('<a>'.repeat(size))],
    ['many elements', plan, (size) => respond(`<goal>g</goal>${step.repeat(size)}`)],
    ['many entities', plan, (size) => respond(`<goal>${'&amp;'.repeat(size)}</goal>${step}`)],
    ['many brackets', plan, (size) => respond(`<goal>${'<'.repeat(size)}</goal>`)],
    ['a long text', plan, (size) => respond(`<goal>${'x'.repeat(size)}</goal>${step}`)],
  ])('with %s take no time that grows with the square of their length', async (_, format, textOf) => {
    await expectNotQuadratic(2_000, (size) => {
      const text = textOf(size);
      return () => checkOutput(format, text);
    });
  });
});

const many = (size: number): Json[] => Array.from({ length: size }, (_, index) => ({ line: index, text: 'x' }));
const fields = (size: number): Record<string, Json> =>
  Object.fromEntries(Array.from({ length: size }, (_, index) => [`f${index}`, index]));
