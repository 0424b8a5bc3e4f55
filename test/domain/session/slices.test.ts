import * as fc from 'fast-check';
import {
  applyEvents,
  artifactsSlice,
  filesSlice,
  notesSlice,
  planStep,
  recordsOf,
  toolsUsed,
} from '../../../domain/session';
import { planSlice } from '../../../domain/session/slices/plan-slice';
import { toolCallsSlice } from '../../../domain/session/slices/tool-calls-slice';
import { after, called, empty, event, failureOf, hashOf, note, schema, steps, wrote } from './support';

const [a, b, c] = ['a', 'b', 'c'].map(hashOf) as [string, string, string];

describe('plan', () => {
  test('steps get ids in order, however they are added, and keep them', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 8 }), (sizes) => {
        const session = after(...sizes.map((size) => steps(...Array.from({ length: size }, () => 'step'))));
        const ids = recordsOf(session, planSlice).map(({ id }) => id);
        expect(ids).toEqual(ids.map((_, index) => `S${String(index + 1).padStart(3, '0')}`));
      }),
    );
  });

  test('an update changes only the fields it contains', () => {
    const change = event('planStepChanged', { id: 'S002', status: 'in_progress', note: 'half way' });
    const session = after(steps('read', 'write'), change, event('planStepChanged', { id: 'S002', status: 'done' }));
    expect(recordsOf(session, planSlice)).toEqual([
      { id: 'S001', title: 'read', status: 'pending' },
      { id: 'S002', title: 'write', status: 'done', note: 'half way' },
    ]);
    expect(planStep(session, 'S002')?.title).toBe('write');
    expect(planStep(session, 'S003')).toBeUndefined();
  });

  test('an update of an unknown step is refused, with a list of the steps', () => {
    const { results } = applyEvents(schema, after(steps('read')), [
      event('planStepChanged', { id: 'S002', status: 'done' }),
      event('planStepChanged', { id: 'S001' }),
    ]);
    const expected = { type: 'Session.InvalidValue', slice: 'plan', field: 'id' };
    expect(failureOf(results[0])).toMatchObject(expected);
    expect(failureOf(results[0]).message).toMatch(/no step S002; existing steps: S001/);
    expect(failureOf(results[1]).message).toMatch(/no change given/);
  });

  test('a plan has at most 200 steps', () => {
    const twenty = steps(...Array.from({ length: 20 }, () => 'step'));
    const { results } = applyEvents(
      schema,
      empty,
      Array.from({ length: 11 }, () => twenty),
    );
    expect(failureOf(results[10])).toMatchObject({ type: 'Session.InvalidValue', slice: 'plan', field: 'steps' });
  });
});

describe('files', () => {
  test('the first change of a path is accepted, later ones must expect the previous one', () => {
    const { session, results } = applyEvents(schema, empty, [
      wrote('x.ts', a, b),
      wrote('x.ts', b, c),
      wrote('y.ts', null, a),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['applied', 'applied', 'applied']);
    expect(recordsOf(session, filesSlice)).toEqual([
      { path: 'x.ts', hash: c, bytes: 1 },
      { path: 'y.ts', hash: a, bytes: 1 },
    ]);
  });

  test('of two writers with the same base, the second is refused with the current state of the file', () => {
    const { session, results } = applyEvents(schema, empty, [wrote('x.ts', a, b), wrote('x.ts', a, c)]);
    const failure = failureOf(results[1]);
    expect(failure).toMatchObject({ type: 'Session.Conflict', slice: 'files', event: 'fileChanged' });
    expect(failure.current).toEqual({ path: 'x.ts', hash: b, bytes: 1 });
    expect(session).toEqual(after(wrote('x.ts', a, b)));
  });

  test('a deleted file can be created again by a writer that knows of the deletion', () => {
    const deleted = after(wrote('x.ts', a, null));
    const { session, results } = applyEvents(schema, deleted, [wrote('x.ts', a, b), wrote('x.ts', null, c)]);
    expect(failureOf(results[0]).current).toMatchObject({ hash: null });
    expect(recordsOf(session, filesSlice)).toMatchObject([{ path: 'x.ts', hash: c }]);
  });

  test('of any number of writers with the same expectation, exactly one wins', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 6 }), (writers) => {
        const base = after(wrote('x.ts', a, b));
        const changes = Array.from({ length: writers }, (_, index) => wrote('x.ts', b, hashOf(String(index))));
        const { results } = applyEvents(schema, base, changes);
        expect(results.filter(({ status }) => status === 'applied')).toHaveLength(1);
      }),
    );
  });
});

test('an artifact of the same name replaces the older one in its position', () => {
  const ref = (letter: string) => ({ hash: hashOf(letter), bytes: 3, mediaType: 'text/plain' });
  const written = ['a', 'b', 'c'].map((letter, index) =>
    event('artifactWritten', { name: ['report', 'patch', 'report'][index]!, ref: ref(letter), by: 'root' }),
  );
  expect(recordsOf(after(...written), artifactsSlice)).toEqual([
    { name: 'report', ref: ref('c'), by: 'root' },
    { name: 'patch', ref: ref('b'), by: 'root' },
  ]);
});

test('the same note twice is one note, and the event still counts as applied', () => {
  const { session, results } = applyEvents(schema, empty, [note('a'), note('b'), note('a')]);
  expect(recordsOf(session, notesSlice).map(({ text }) => text)).toEqual(['a', 'b']);
  expect(results[2]).toEqual({ status: 'applied', version: 3 });
});

describe('tool calls', () => {
  test('the newest 500 are kept, and every tool is listed in order of first use', () => {
    const many = Array.from({ length: 600 }, (_, index) => called('grep', `c${index}`));
    const session = after(called('edit'), ...many, called('read'), called('edit', 'e', true));
    const rows = recordsOf(session, toolCallsSlice);
    expect(rows).toHaveLength(500);
    expect(rows.at(-1)).toEqual({ tool: 'edit', callId: 'e', isError: true, turn: 1 });
    expect(toolsUsed(session)).toEqual(['edit', 'grep', 'read']);
    expect(session.slices['toolUse']?.[0]).toEqual({ tool: 'edit', calls: 2, errors: 1 });
  });

  test('the tools of a delegation are separate from those of its parent, in order of first use', () => {
    const calls = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 12 });
    fc.assert(
      fc.property(calls, calls, (parents, childs) => {
        const start = after(...parents.map((tool) => called(tool)));
        const end = applyEvents(
          schema,
          start,
          childs.map((tool) => called(tool)),
        ).session;
        expect(toolsUsed(end, start)).toEqual([...new Set(childs)]);
      }),
    );
  });
});
