import { z } from 'zod';
import { isFailureType, type Json } from '../../../domain/kernel';
import {
  append,
  applyEvents,
  createSessionSchema,
  defineSlice,
  emptySession,
  type Reducer,
  RefusedEventError,
  replaceLatest,
} from '../../../domain/session';
import type { SessionEvent } from '../../../domain/tool';
import type { EventFailure } from '../../../domain/session/session-errors';
import { after, called, empty, event, failureOf, note, schema, steps } from './support';

const record = z.strictObject({ word: z.string().max(10), list: z.array(z.number()).optional() });
type Word = z.infer<typeof record>;

/**
 * Returns the failure of an event on a slice with this reducer. Another slice handles the event too, and must stay
 * unchanged.
 */
function failureWith(reduce: Reducer<Word>, conflict: 'append' | 'lastWrite' = 'lastWrite'): EventFailure {
  const words = createSessionSchema([
    defineSlice({ name: 'words', record, conflict, on: { seeded: append(), said: reduce } }),
    defineSlice({ name: 'aFriend', record, conflict: 'append', on: { said: append() } }),
  ]);
  const seeded = applyEvents(words, emptySession(words), [event('seeded', { word: 'one', list: [1] })]).session;
  const said = event('said', { word: 'two' });
  const { session, results } = applyEvents(words, seeded, [said, event('seeded', { word: 'three' })]);
  expect(session.slices).toEqual({ words: [{ word: 'one', list: [1] }, { word: 'three' }], aFriend: [] });
  expect(results[1]).toEqual({ status: 'applied', version: 2 });
  return failureOf(results[0]);
}

const odd = (value: unknown): readonly Word[] => value as readonly Word[];

test.each<[string, Reducer<Word>]>([
  [
    'throws',
    () => {
      throw new Error('boom');
    },
  ],
  ['mutates a record', (records) => (records[0]!.list!.push(2), records)],
  ['mutates the list', (records, value) => ((records as Word[]).push(value), records)],
  ['mutates the value', (records, value) => ((value.word = 'x'), records)],
  ['returns nothing', () => odd(undefined)],
  ['returns a promise', () => odd(Promise.resolve([]))],
  ['makes a record of another form', () => [{ word: 'much too long a word' }]],
  ['makes a record that is no object', () => odd(['word'])],
  ['makes a record that is not plain JSON', () => odd([{ word: new Map() }])],
])('a reducer that %s fails its event, and no slice is changed', (_, reduce) => {
  const failure = failureWith(reduce);
  expect(failure).toMatchObject({ type: 'Session.ReducerFailed', event: 'said', slice: 'words' });
});

test('a slice that appends may drop its oldest records, and nothing else', () => {
  expect(failureWith(renewed, 'append').message).toMatch(/only appends/);
  const newest = defineSlice({ name: 'newest', record, conflict: 'append', on: { said: replaceLatest() } });
  const one = createSessionSchema([newest]);
  const said = ['a', 'b'].map((word) => event('said', { word }));
  expect(applyEvents(one, emptySession(one), said).session.slices).toEqual({ newest: [{ word: 'b' }] });
});

/** Puts a changed record before an unchanged one. */
const renewed: Reducer<Word> = (records, value) => [value, ...records];

test('a reducer may refuse an event that makes no sense', () => {
  const failure = failureWith(() => {
    throw new RefusedEventError('word', 'it was said before');
  });
  const message = 'Event "said", word: it was said before';
  expect(failure).toEqual({ type: 'Session.InvalidValue', event: 'said', slice: 'words', field: 'word', message });
});

test.each<[string, SessionEvent, Partial<EventFailure>]>([
  ['an unknown type', event('moonRisen', {}), { type: 'Session.UnknownEvent', event: 'moonRisen' }],
  ['a name every object has', event('toString', {}), { type: 'Session.UnknownEvent' }],
  ['a wrong value', note(''), { type: 'Session.InvalidValue', slice: 'notes', field: 'text' }],
  ['an extra key', event('noteAdded', { text: 'a', by: 'b', at: 1 }), { type: 'Session.InvalidValue', slice: 'notes' }],
  ['a nested wrong value', steps('fine', ''), { slice: 'plan', field: 'steps.1.title' }],
  ['half a surrogate pair', note('\ud83d'), { type: 'Session.InvalidValue', field: 'text' }],
  ['more than 4 KiB', event('noteAdded', 'x'.repeat(5_000)), { type: 'Session.EventTooLarge', event: 'noteAdded' }],
  ['a date', event('noteAdded', { text: new Date() as unknown as Json }), { field: 'text' }],
  ['a set', event('noteAdded', new Set() as unknown as Json), { type: 'Session.InvalidValue', field: 'value' }],
  ['NaN', event('noteAdded', { text: [NaN] }), { type: 'Session.InvalidValue', field: 'text.0' }],
  ['a poisoned name', event('noteAdded', JSON.parse('{"__proto__":1}') as Json), { field: '__proto__' }],
  ['no value', { type: 'noteAdded' } as SessionEvent, { type: 'Session.InvalidValue', field: 'value' }],
  ['no type', { value: 1 } as unknown as SessionEvent, { type: 'Session.InvalidValue', field: 'type' }],
  ['nothing at all', null as unknown as SessionEvent, { type: 'Session.InvalidValue' }],
])('an event with %s fails alone', (_, bad, expected) => {
  const { session, results } = applyEvents(schema, empty, [note('before'), bad, note('after')]);
  const failure = failureOf(results[1]);
  expect(failure).toMatchObject(expected);
  expect(isFailureType(failure.type)).toBe(true);
  expect(session).toEqual(after(note('before'), note('after')));
});

test('a value that is nested too deeply is refused without recursion', () => {
  const deep = Array.from({ length: 50_000 }).reduce<Json>((inner) => [inner], 1);
  expect(failureOf(applyEvents(schema, empty, [event('noteAdded', deep)]).results[0]).message).toMatch(/deep/);
});

test('a schema that changes the value it validates is a failure, not a silent change', () => {
  const trimmed = z.strictObject({ word: z.string().trim() });
  const words = createSessionSchema([
    defineSlice({ name: 'words', record: trimmed, conflict: 'append', on: { said: append() } }),
  ]);
  const { results } = applyEvents(words, emptySession(words), [
    event('said', { word: ' a' }),
    event('said', { word: 'a' }),
  ]);
  expect(failureOf(results[0])).toMatchObject({ type: 'Session.InvalidValue', slice: 'words' });
  expect(results[1]).toEqual({ status: 'applied', version: 1 });
});

test('an event of the loop that no slice handles is ignored', () => {
  const { session, results } = applyEvents(schema, empty, [event('promptRendered', { bytes: 7 })]);
  expect(results).toEqual([{ status: 'ignored' }]);
  expect(session).toEqual(empty);
});

test('a session is limited to 256 KiB: the event fails, and the largest slice is named', () => {
  const notes = Array.from({ length: 300 }, (_, index) => note(`${index} ${'x'.repeat(950)}`));
  const { session, results } = applyEvents(schema, empty, [called('grep'), ...notes, called('edit')]);
  const failure = failureOf(results.at(-2));
  expect(failure).toMatchObject({ type: 'Session.TooLarge', event: 'noteAdded', slice: 'notes' });
  expect(results.at(-1)).toEqual({ status: 'applied', version: session.version });
  expect(JSON.stringify(session).length).toBeLessThanOrEqual(256 * 1024);
  expect(JSON.stringify(session).length).toBeGreaterThan(255 * 1024);
});
