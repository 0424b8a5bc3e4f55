import { afterFinding, afterStoring, writersToFind, writersToStore } from '../../../../domain/session';
import { applyTurn, emptySession } from '../../../../domain/session';
import { maxComplaintCharacters } from '../../../../domain/session/turn';
import { type KnownWriters, maxWritersSize, type WriterState } from '../../../../domain/session/shared/writers';
import { schema } from '../support';

const page = (letter: string) => ({ hash: letter.repeat(64), bytes: 1, mediaType: 'application/json' });
const writer = (at: number): WriterState => ({ epoch: 'e', at, seq: 0, digest: 'd'.repeat(64), verdicts: [] });
const many = (count: number): KnownWriters['writers'] =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`writer ${index}`, writer(index)]));

describe('the writers that a host remembers', () => {
  test('stay with it while they fit', () => {
    expect(writersToStore({ writers: many(1_000) })).toBeUndefined();
  });

  test('are moved to the store, those with the oldest requests first, until half of the space is free', () => {
    const state: KnownWriters = { writers: many(5_000) };
    const moved = writersToStore(state)!;
    const kept = afterStoring(state, moved, page('a'));
    expect(Math.max(...Object.values(moved).map(({ at }) => at))).toBe(kept.stored?.until);
    expect(Math.min(...Object.values(kept.writers).map(({ at }) => at))).toBe((kept.stored?.until ?? 0) + 1);
    expect(JSON.stringify(kept.writers).length).toBeLessThanOrEqual(maxWritersSize / 2);
    expect(Object.keys(moved).length + Object.keys(kept.writers).length).toBe(5_000);
    expect(writersToStore(kept)).toBeUndefined();
  });

  test('stay with it if they write again while they are being stored', () => {
    const state = { writers: many(5_000) };
    const moved = writersToStore(state)!;
    const again = { writers: { ...state.writers, 'writer 0': writer(9_999) } };
    expect(afterStoring(again, moved, page('a')).writers['writer 0']).toEqual(writer(9_999));
  });

  test('are looked up only for a request that may repeat an earlier one', () => {
    const state = { writers: { ada: writer(50) }, stored: { page: page('a'), until: 40 } };
    const request = (name: string, at: number) => ({ writer: name, at });
    expect(writersToFind({ writers: {} }, [request('bob', 1)])).toEqual([]);
    expect(writersToFind(state, [request('ada', 1), request('bob', 41)])).toEqual([]);
    expect(writersToFind(state, [request('bob', 40), request('bob', 3), request('eve', 1)])).toEqual(['bob', 'eve']);
  });

  test('are not replaced by older ones from the store', () => {
    const state = { writers: { ada: writer(50) }, stored: { page: page('a'), until: 40 } };
    expect(afterFinding(state, { ada: writer(1), bob: writer(2) }).writers).toEqual({
      ada: writer(50),
      bob: writer(2),
    });
  });
});

test('complaints about hundreds of refused changes have a bounded length, and every change has one', () => {
  const wanted = Array.from({ length: 220 }, (_, index) => ({
    tool: 'a_tool',
    callId: String(index),
    isError: false,
    changes: [],
    events: [{ type: 'noteAdded', value: { text: 'x'.repeat(3_000), by: '', mistake: 'y'.repeat(500) } }],
  }));
  const complaints = applyTurn(schema, emptySession(schema), wanted, 1).verdicts.map(({ complaint = '' }) => complaint);
  expect(complaints.every((text) => text.startsWith('Session.'))).toBe(true);
  expect(complaints.join('').length).toBeLessThanOrEqual(maxComplaintCharacters);
});
