import { z } from 'zod';
import {
  append,
  applyEvents,
  builtInSlices,
  createSessionSchema,
  defineSlice,
  emptySession,
  eventHandler,
  hydrate,
  recordsOf,
  replaceLatest,
  type Slice,
  snapshot,
  summarizeSnapshot,
  upsertBy,
} from '../../../domain/session';
import { SliceDefinitionError } from '../../../domain/session/session-errors';
import { event, failureOf } from './support';

// The example of docs/session.md: risks that agents find, each with an owner who can only be changed by naming the
// current one.
const riskSchema = z.strictObject({
  id: z.string().min(1).max(20),
  text: z.string().min(1).max(500),
  owner: z.string().max(50).nullable(),
  revision: z.int().positive(),
});
type Risk = z.infer<typeof riskSchema>;

const risksSlice = defineSlice({
  name: 'risks',
  record: riskSchema,
  conflict: 'compareAndSet',
  compare: { key: ({ id }) => id, token: ({ revision }) => String(revision) },
  on: {
    riskFound: eventHandler(
      riskSchema.pick({ id: true, text: true }),
      (risks: readonly Risk[], { id, text }) => [...risks, { id, text, owner: null, revision: 1 }],
      ({ id }) => ({ key: id, token: null }),
    ),
    riskAssigned: eventHandler(
      z.strictObject({ id: riskSchema.shape.id, owner: z.string().max(50), revision: z.int() }),
      (risks: readonly Risk[], { id, owner }) =>
        risks.map((risk) => (risk.id === id ? { ...risk, owner, revision: risk.revision + 1 } : risk)),
      ({ id, revision }) => ({ key: id, token: String(revision) }),
    ),
  },
  summarize: (risks) => ['Risks', ...risks.map(({ id, text, owner }) => `- ${id} (${owner ?? 'nobody'}): ${text}`)],
});

const schema = createSessionSchema([...builtInSlices, risksSlice]);

test('a custom slice works alongside the built-in ones', () => {
  const { session, results } = applyEvents(schema, emptySession(schema), [
    event('riskFound', { id: 'R1', text: 'The disk fills up' }),
    event('riskAssigned', { id: 'R1', owner: 'ada', revision: 1 }),
    event('riskAssigned', { id: 'R1', owner: 'bob', revision: 1 }),
    event('riskFound', { id: 'R1', text: 'Once more' }),
    event('noteAdded', { text: 'Look at R1', by: 'root' }),
    event('riskAssigned', { id: 'R2', owner: 'bob', revision: 1 }),
  ]);
  const assigned = { id: 'R1', text: 'The disk fills up', owner: 'ada', revision: 2 };
  expect(results.map(({ status }) => status)).toEqual(['applied', 'applied', 'failed', 'failed', 'applied', 'failed']);
  expect(failureOf(results[2])).toMatchObject({ type: 'Session.Conflict', slice: 'risks', current: assigned });
  expect(failureOf(results[5])).toMatchObject({ type: 'Session.Conflict', current: null });
  expect(recordsOf(session, risksSlice)).toEqual([assigned]);
  expect(hydrate(schema, snapshot(schema, session))).toEqual(session);
  expect(summarizeSnapshot(schema, session)).toBe('Notes: 1\n- root: Look at R1\nRisks\n- R1 (ada): The disk fills up');
});

test('a slice may keep only the newest record, and may handle events of the loop', () => {
  const goal = z.strictObject({ text: z.string() });
  const goalSlice = defineSlice({
    name: 'goal',
    record: goal,
    conflict: 'lastWrite',
    on: { goalSet: replaceLatest() },
  });
  const ends = z.strictObject({ id: z.string(), ok: z.boolean() });
  const endsSlice = defineSlice({
    name: 'ends',
    record: ends,
    conflict: 'lastWrite',
    on: { delegationEnded: upsertBy('id') },
    summarize: () => {
      throw new TypeError('a mistake');
    },
  });
  const own = createSessionSchema([goalSlice, endsSlice]);
  const { session } = applyEvents(own, emptySession(own), [
    event('goalSet', { text: 'first' }),
    event('goalSet', { text: 'second' }),
    event('delegationEnded', { id: 'd1', ok: false }),
    event('delegationEnded', { id: 'd1', ok: true }),
  ]);
  expect(session).toEqual({ version: 4, slices: { goal: [{ text: 'second' }], ends: [{ id: 'd1', ok: true }] } });
  expect(summarizeSnapshot(own, session)).toBe('ends: 1 record\ngoal: 1 record');
});

test('a session that is older than a slice continues without its records', () => {
  const old = applyEvents(createSessionSchema(builtInSlices), { version: 3, slices: {} }, []).session;
  const { session } = applyEvents(schema, old, [event('riskFound', { id: 'R1', text: 'new' })]);
  expect(recordsOf(old, risksSlice)).toEqual([]);
  expect(recordsOf(session, risksSlice)).toHaveLength(1);
});

const record = z.strictObject({ a: z.string() });
const fine = { name: 'fine', record, conflict: 'append', on: { happened: append() } } as const;

test.each<[RegExp, () => unknown]>([
  [/camelCase/, () => defineSlice({ ...fine, name: 'Not Fine' })],
  [/camelCase/, () => defineSlice({ ...fine, on: { 'not-fine': append() } })],
  [/version/, () => defineSlice({ ...fine, version: 0 })],
  [/handles no events/, () => defineSlice({ ...fine, on: {} })],
  [/`compare` is required/, () => defineSlice({ ...fine, conflict: 'compareAndSet' })],
  [/`compare` is required/, () => defineSlice({ ...fine, compare: { key: ({ a }) => a, token: ({ a }) => a } })],
  [
    /`expects` is required/,
    () => defineSlice({ ...fine, conflict: 'compareAndSet', compare: { key: ({ a }) => a, token: ({ a }) => a } }),
  ],
  [/two slices/, () => createSessionSchema([...builtInSlices, defineSlice({ ...fine, name: 'plan' })])],
  [/not plain JSON/, () => withRecord(z.strictObject({ at: z.date() }))],
  [/not plain JSON/, () => withRecord(z.strictObject({ a: z.string().transform(Number) }))],
])('an invalid slice definition is refused: %s', (reason, define) => {
  expect(define).toThrow(SliceDefinitionError);
  expect(define).toThrow(reason);
});

function withRecord<R extends object>(schema: z.ZodType<R>): Slice {
  return defineSlice({ name: 'odd', record: schema, conflict: 'append', on: { happened: append() } });
}

test('reducers that do not match their records are type errors', () => {
  // @ts-expect-error: such records have no field b
  defineSlice({ ...fine, on: { happened: upsertBy('b') } });
  // @ts-expect-error: wrong type of record
  defineSlice({ ...fine, on: { happened: upsertBy(({ b }: { b: string }) => b) } });
  defineSlice({ ...fine, on: { happened: upsertBy(({ a }: { a: string }) => a) } });
  // @ts-expect-error: a reducer returns records
  defineSlice({ ...fine, on: { happened: () => [{ b: 1 }] } });
  expect(fine.name).toBe('fine');
});
