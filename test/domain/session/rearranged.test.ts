import * as fc from 'fast-check';
import { z } from 'zod';
import { canonicalJson, utf8 } from '../../../domain/kernel';
import {
  applyEvents,
  createSessionSchema,
  defineSlice,
  emptySession,
  measureSession,
  recordsOf,
  type Slice,
} from '../../../domain/session';
import { event } from './support';

const record = z.strictObject({ word: z.string(), keep: z.array(z.int()) });
type Kept = z.infer<typeof record>;

/** A slice whose events say which of its records to keep, by their places, and in which order. The last place is the event's own record. */
function picking(conflict: 'append' | 'lastWrite'): Slice<Kept> {
  const pick = (records: readonly Kept[], value: Kept): readonly Kept[] => {
    const all = [...records, value];
    return [...new Set(value.keep.map((place) => place % all.length))].flatMap((place) => all[place] ?? []);
  };
  return defineSlice({ name: 'picked', record, conflict, on: { picked: pick } });
}

const places = fc.oneof(
  fc.array(fc.nat(9), { maxLength: 10 }),
  // Without the oldest ones, as a slice of limited size would do it.
  fc.nat(3).map((dropped) => Array.from({ length: 10 - dropped }, (_, index) => index + dropped)),
);
const events = fc.array(
  fc.tuple(fc.string({ maxLength: 5 }), places).map(([word, keep]) => event('picked', { word, keep })),
  { maxLength: 12 },
);

test('a session has its size, however a reducer rearranges the records', () => {
  const schema = createSessionSchema([picking('lastWrite')]);
  fc.assert(
    fc.property(events, (list) => {
      const { session } = applyEvents(schema, emptySession(schema), list);
      const slices = session.slices['picked']?.length === 0 ? {} : session.slices;
      expect(measureSession(session).bytes).toBe(utf8(canonicalJson({ ...session, slices })).length);
    }),
  );
});

test('a slice that appends accepts exactly what drops the oldest records and adds new ones', () => {
  const slice = picking('append');
  const schema = createSessionSchema([slice]);
  const free = picking('lastWrite');
  const freely = createSessionSchema([free]);
  const seen = { applied: 0, failed: 0 };
  fc.assert(
    fc.property(events, (list) => {
      let session = emptySession(schema);
      for (const one of list) {
        const before = recordsOf(session, slice);
        const wanted = recordsOf(applyEvents(freely, session, [one]).session, free);
        const kept = wanted.filter((kept) => before.includes(kept));
        const onlyAdds = wanted.slice(0, kept.length).every((item, at) => item === before.slice(-kept.length)[at]);
        const { session: next, results } = applyEvents(schema, session, [one]);
        const status = onlyAdds ? 'applied' : 'failed';
        seen[status] += 1;
        expect(results).toMatchObject([{ status }]);
        session = next;
      }
    }),
  );
  expect(Math.min(seen.applied, seen.failed)).toBeGreaterThan(20);
});
