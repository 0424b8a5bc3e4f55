import { z } from 'zod';
import {
  append,
  applyEvents,
  createSessionSchema,
  defineSlice,
  hydrate,
  notesSlice,
  recordedDecisions,
  recordsOf,
  type SessionSnapshot,
  snapshot,
  summarizeSnapshot,
} from '../../../domain/session';
import type { SessionEvent } from '../../../domain/tool';
import { after, empty, event, note, schema } from './support';

const decision = (text: string, by = 'root'): SessionEvent => event('noteAdded', { text, by, kind: 'decision' });

test('a note may be a decision; other notes are recorded without a kind', () => {
  const session = after(note('The tests are slow.'), decision('Tabs, not spaces.'));
  expect(JSON.stringify(recordsOf(session, notesSlice))).toBe(
    '[{"text":"The tests are slow.","by":"root"},{"text":"Tabs, not spaces.","by":"root","kind":"decision"}]',
  );
});

test('there is no other kind of note', () => {
  const { results } = applyEvents(schema, empty, [event('noteAdded', { text: 'a', by: 'root', kind: 'rumour' })]);
  expect(results[0]).toMatchObject({ status: 'failed', failure: { slice: 'notes', field: 'kind' } });
});

test('the decisions of a session are those of all its agents, each once, in order', () => {
  const session = after(decision('b', 'child'), note('a'), decision('c'), decision('b'));
  expect(recordedDecisions(session)).toEqual(['b', 'c']);
  expect(recordedDecisions(empty)).toEqual([]);
});

test('a summary marks decisions', () => {
  const text = summarizeSnapshot(schema, after(note('Slow tests'), decision('Use tabs')));
  expect(text).toBe('Notes: 2\n- root: Slow tests\n- root (decision): Use tabs');
});

test.each([
  ['more than 100 decisions', Array.from({ length: 101 }, (_, index) => `decision ${index}`), 100],
  ['more than 12 KiB of them', Array.from({ length: 13 }, (_, index) => `${index}`.padEnd(1_000, 'x')), 12],
])('a session refuses %s, and suggests where to store them instead', (_, texts, taken) => {
  const { session, results } = applyEvents(
    schema,
    empty,
    texts.map((text) => decision(text)),
  );
  expect(recordedDecisions(session)).toHaveLength(taken);
  expect(results.at(-1)).toMatchObject({ status: 'failed', failure: { type: 'Session.InvalidValue', field: 'text' } });
  expect(JSON.stringify(results.at(-1))).toMatch(
    /at most 100 decisions, 12288 bytes in total; write this to an artifact/,
  );
  // A repeated decision takes no space, and other notes don't count.
  const more = applyEvents(schema, session, [decision(texts[0]!), note('And so on')]);
  expect(more.results.map(({ status }) => status)).toEqual(['applied', 'applied']);
});

describe('a changed record schema', () => {
  const before = z.strictObject({ text: z.string() });
  const slice = (record: z.ZodType<object>): ReturnType<typeof createSessionSchema> =>
    createSessionSchema([defineSlice({ name: 'words', record, conflict: 'append', on: { said: append() } })]);
  const old = slice(before);
  const fresh = slice(before.extend({ loud: z.boolean().optional() }));
  const said = (schema: typeof old, value: Record<string, string | boolean>): SessionSnapshot =>
    snapshot(schema, applyEvents(schema, { version: 0, slices: {} }, [{ type: 'said', value }]).session);

  test('accepts existing snapshots whose records fit it', () => {
    expect(hydrate(fresh, said(old, { text: 'a' })).slices['words']).toEqual([{ text: 'a' }]);
    expect(hydrate(old, said(fresh, { text: 'a' })).slices['words']).toEqual([{ text: 'a' }]);
    const sameInOtherWords = slice(z.object({ text: z.string().describe('What was said') }).strict());
    expect(hydrate(sameInOtherWords, said(old, { text: 'a' })).slices['words']).toEqual([{ text: 'a' }]);
  });

  test('refuses a record that does not fit, by its field', () => {
    expect(() => hydrate(old, said(fresh, { text: 'a', loud: true }))).toThrow(/loud/);
    expect(() => hydrate(slice(before.extend({ text: z.string().max(1) })), said(old, { text: 'ab' }))).toThrow(/text/);
  });
});
