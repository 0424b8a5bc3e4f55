import { sha256Hex } from '../../../domain/kernel';
import { encodeLink, type OpeningEntry, parseLink } from '../../../domain/transcript';
import { opening } from '../../store/support/conversations';

const linkOf = (entry: OpeningEntry): string => encodeLink({ v: 1, index: 0, prev: null, entries: [entry] });

test('an opening for free text has the same bytes as before output formats existed', () => {
  const hash = 'd46a5e992417c326233dc2ce3c17b0e6f374760758b655ee67468d6fc44c8511';
  expect(sha256Hex(linkOf(opening))).toBe(hash);
  expect(sha256Hex(linkOf({ ...opening, output: undefined }))).toBe(hash);
});

test('the head depends on the required output format', () => {
  const output = { xml: { root: 'plan', fields: [{ name: 'goal' }, { name: 'risk', optional: true }] } };
  const text = linkOf({ ...opening, output });
  expect(text).not.toBe(linkOf(opening));
  const parsed = parseLink(text);
  expect('ok' in parsed && parsed.ok.entries[0]).toEqual({ ...opening, output });
});

test('an invalid output format is a problem', () => {
  const output = { xml: { root: 'response', fields: [{ name: 'goal' }] } };
  expect(parseLink(linkOf({ ...opening, output }))).toMatchObject({
    problem: expect.stringContaining('response') as unknown,
  });
});
