import { defaultPayloadConverter } from '@temporalio/common';
import * as fc from 'fast-check';
import { canonicalJson, isWellFormedUnicode, utf8 } from '../../../domain/kernel';
import {
  applyDelta,
  applyEvents,
  builtInSlices,
  createSessionSchema,
  hydrate,
  measureSession,
  slicesWithRecords,
  type Session,
  snapshot,
  summarizeSnapshot,
} from '../../../domain/session';
import { changesSince, deltaBetween } from '../../../domain/session/delta';
import { empty, events, schema } from './support';

/** The value after it was passed to an activity, a child workflow or the next execution. */
function sent<T>(value: T): T {
  return defaultPayloadConverter.fromPayload<T>(defaultPayloadConverter.toPayload(value));
}

const session = events.map((list) => applyEvents(schema, empty, list).session);

test('a session hydrated from its snapshot is the same session', () => {
  fc.assert(
    fc.property(session, (s) => {
      expect(hydrate(schema, snapshot(schema, s))).toEqual(s);
    }),
  );
});

test('sessions, snapshots and results survive the payload converter', () => {
  fc.assert(
    fc.property(events, (list) => {
      const applied = applyEvents(schema, empty, list);
      expect(sent(applied)).toEqual(applied);
      expect(hydrate(schema, sent(snapshot(schema, applied.session)))).toEqual(applied.session);
    }),
  );
});

test('a snapshot never changes when the session changes', () => {
  fc.assert(
    fc.property(session, events, (s, more) => {
      const taken = snapshot(schema, s);
      const text = canonicalJson(taken);
      applyEvents(schema, s, more);
      applyEvents(schema, hydrate(schema, taken), more);
      expect(canonicalJson(taken)).toBe(text);
    }),
  );
});

test('a session restored from a payload behaves like the original', () => {
  fc.assert(
    fc.property(session, events, (s, more) => {
      expect(applyEvents(schema, sent(s), more)).toEqual(applyEvents(schema, s, more));
    }),
  );
});

test('an event that fails or is ignored changes nothing, and other events still apply', () => {
  fc.assert(
    fc.property(events, (list) => {
      const { session: all, results } = applyEvents(schema, empty, list);
      const applied = list.filter((_, index) => results[index]?.status === 'applied');
      expect(results).toHaveLength(list.length);
      expect(all).toEqual(applyEvents(schema, empty, applied).session);
      expect(all.version).toBe(applied.length);
    }),
  );
});

test('neither batching nor the order of registration makes a difference', () => {
  const reversed = createSessionSchema([...builtInSlices].reverse());
  fc.assert(
    fc.property(events, (list) => {
      const oneByOne = list.reduce((s: Session, next) => applyEvents(schema, s, [next]).session, empty);
      const atOnce = applyEvents(reversed, empty, list).session;
      expect(canonicalJson(oneByOne)).toBe(canonicalJson(atOnce));
      expect(snapshot(reversed, atOnce)).toEqual(snapshot(schema, oneByOne));
    }),
  );
});

test('the size is that of the canonical JSON without empty slices, for a cached session and for a copy', () => {
  fc.assert(
    fc.property(session, (s) => {
      const bytes = utf8(canonicalJson({ ...s, slices: Object.fromEntries(slicesWithRecords(s)) })).length;
      expect(measureSession(s).bytes).toBe(bytes);
      expect(measureSession(sent(s)).bytes).toBe(bytes);
    }),
  );
});

test('the delta between two versions turns the older one into the newer one', () => {
  fc.assert(
    fc.property(session, events, (older, more) => {
      const newer = applyEvents(schema, older, more).session;
      const delta = deltaBetween(older, newer);
      expect(applyDelta(older, sent(delta))).toEqual(newer);
      expect(deltaBetween(sent(older), sent(newer))).toEqual(delta);
      expect(changesSince([older], newer, older.version)).toEqual(delta);
    }),
  );
});

test('a summary is short and deterministic, and consists of well-formed single lines', () => {
  fc.assert(
    fc.property(session, (s) => {
      const text = summarizeSnapshot(schema, snapshot(schema, s));
      expect(text).toBe(summarizeSnapshot(schema, sent(snapshot(schema, s))));
      expect(text.length).toBeLessThanOrEqual(4_000);
      expect(isWellFormedUnicode(text)).toBe(true);
    }),
  );
});
