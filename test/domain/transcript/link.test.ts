import type { Json } from '../../../domain/kernel';
import { encodeLink, parseLink, type TranscriptLink } from '../../../domain/transcript';

const prev = { hash: 'b'.repeat(64), bytes: 3, mediaType: 'application/json' };
const usage = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 };
const input = JSON.parse('{"__proto__":{"a":1},"b":[1,2]}') as Json;
const block = { type: 'toolCall' as const, id: 'c', name: 'n', input };
const link: TranscriptLink = {
  v: 1,
  index: 1,
  prev,
  entries: [
    { kind: 'reply', content: [block], stopReason: 'toolCalls', usage, model: 'm' },
    { kind: 'note', from: 'engine', text: 'line\nline \ud83d\ude00 \ud800' },
  ],
};

test('a link is one line of canonical JSON and is parsed back completely, including unusual keys', () => {
  const text = encodeLink(link);
  expect(text).not.toContain('\n');
  const parsed = parseLink(text);
  expect('ok' in parsed && encodeLink(parsed.ok)).toBe(text);
  expect(text).toContain('"__proto__":{"a":1}');
});

test('the order of keys does not change the text', () => {
  const { v, ...rest } = link;
  expect(encodeLink({ ...rest, v })).toBe(encodeLink(link));
});

test.each([
  ['a checkpoint after the link', { checkpoint: { ref: prev, from: 1 } }],
  ['no entries', { entries: [] }],
  ['another version', { v: 2 }],
  ['a field nobody knows', { more: 1 }],
  ['a negative number', { index: -1 }],
])('%s is a problem', (_, change) => {
  expect(parseLink(JSON.stringify({ ...link, ...change }))).toHaveProperty('problem');
});
