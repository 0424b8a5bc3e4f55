import fc from 'fast-check';
import { type FileChange, mergeChanges } from '../../../domain/workspace';
import { fileChangeSchema } from '../../../domain/workspace/changes';

const hash = (digit: number): string => String(digit).repeat(64);
const change = (path: string, expected: number | null, next: number | null): FileChange => ({
  path,
  expectedHash: expected === null ? null : hash(expected),
  newHash: next === null ? null : hash(next),
  bytes: 1,
});

describe('file changes', () => {
  test('are accepted when the file is the version that the tool saw', () => {
    const { accepted, conflicts, current } = mergeChanges(new Map([['a', hash(1)]]), [change('a', 1, 2)]);
    expect(accepted).toHaveLength(1);
    expect(conflicts).toEqual([]);
    expect(current.get('a')).toBe(hash(2));
  });

  test('are accepted when the file has not changed since it was mounted', () => {
    expect(mergeChanges(new Map(), [change('a', 7, 2)]).conflicts).toEqual([]);
  });

  test('are refused when another change came first, with the current version', () => {
    const lost = change('a', 1, 3);
    expect(mergeChanges(new Map([['a', hash(2)]]), [lost]).conflicts).toEqual([{ change: lost, currentHash: hash(2) }]);
  });

  test('of one file with the same base: only the first is accepted', () => {
    const [first, second] = [change('a', 1, 2), change('a', 1, 3)];
    const { accepted, conflicts } = mergeChanges(new Map(), [first, second]);
    expect(accepted).toEqual([first]);
    expect(conflicts).toEqual([{ change: second, currentHash: hash(2) }]);
  });

  test('that build on each other are all accepted', () => {
    expect(
      mergeChanges(new Map(), [change('a', null, 1), change('a', 1, 2), change('a', 2, null)]).accepted,
    ).toHaveLength(3);
  });

  test('of a deleted file must expect the deletion', () => {
    const current = new Map([['a', null]]);
    expect(mergeChanges(current, [change('a', 1, 2)]).conflicts).toHaveLength(1);
    expect(mergeChanges(current, [change('a', null, 2)]).conflicts).toEqual([]);
  });

  test.each([
    ['a file where another needs a folder', ['a/b', 'a']],
    ['a file in a folder that is a file', ['a', 'a/b/c']],
  ])('cannot create %s', (_, [first = '', second = '']) => {
    const { accepted, conflicts } = mergeChanges(new Map(), [change(first, null, 1), change(second, null, 2)]);
    expect(accepted.map(({ path }) => path)).toEqual([first]);
    expect(conflicts).toEqual([{ change: change(second, null, 2), currentHash: null, blockedBy: first }]);
  });

  test('may use the name of a folder whose files were all deleted', () => {
    const { conflicts } = mergeChanges(new Map([['a/b', null]]), [change('a', null, 1)]);
    expect(conflicts).toEqual([]);
  });

  test('of a path named like a property of objects are changes like any other', () => {
    const { current } = mergeChanges(new Map(), [change('__proto__', null, 1), change('constructor', null, 2)]);
    expect([...current]).toEqual([
      ['__proto__', hash(1)],
      ['constructor', hash(2)],
    ]);
  });

  test('have the result of the accepted ones, and do not mutate their input', () => {
    const anyHash = fc.option(fc.integer({ min: 1, max: 3 }), { nil: null });
    const anyChange = fc.tuple(fc.constantFrom('a', 'a/b', 'c'), anyHash, anyHash).map((parts) => change(...parts));
    fc.assert(
      fc.property(fc.array(anyChange, { maxLength: 8 }), (changes) => {
        const before = new Map<string, string | null>();
        const { accepted, conflicts, current } = mergeChanges(before, changes);
        expect(before.size).toBe(0);
        expect(accepted.length + conflicts.length).toBe(changes.length);
        expect(mergeChanges(before, accepted).current).toEqual(current);
        expect(current.get('a') != null && current.get('a/b') != null).toBe(false);
      }),
      { numRuns: 300 },
    );
  });
});

test('a change from outside is validated', () => {
  expect(fileChangeSchema.safeParse(change('a/b', null, 1)).success).toBe(true);
  expect(fileChangeSchema.safeParse({ ...change('a/b', null, 1), path: '../b' }).success).toBe(false);
  expect(fileChangeSchema.safeParse({ ...change('a/b', null, 1), newHash: 'x' }).success).toBe(false);
});
