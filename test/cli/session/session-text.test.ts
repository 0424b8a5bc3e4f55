import { changeLines, sessionText } from '../../../cli/session/session-text';

const ref = { hash: 'ab'.repeat(32), bytes: 2_048, mediaType: 'text/markdown' };
const steps = (count: number): { id: string; title: string }[] =>
  Array.from({ length: count }, (_, index) => ({ id: `S${index}`, title: `Step ${index}` }));

describe('a session as text', () => {
  test('shows stored contents by their size, long texts cut, in one line, and missing fields empty', () => {
    const slices = {
      artifacts: [{ name: 'report.md', ref, by: 'root' }],
      notes: [
        { text: `one\ntwo ${'long '.repeat(100)}`, kind: null },
        { text: 'short', tags: ['a', 'b'] },
      ],
      plan: [],
    };
    const text = sessionText({ version: 3, slices, host: null }, 20);
    expect(text).toMatch(/^version 3\n\nartifacts: 1 record\n {2}name +ref +by\n/);
    expect(text).toMatch(/^ {2}report\.md +2\.0 KiB in the store \(abababababab\) +root$/m);
    expect(text).toMatch(/^ {2}one two long .*…$/m);
    expect(text).toMatch(/^ {2}short +\["a","b"\]$/m);
    expect(text).not.toContain('plan');
  });

  test('shows the newest records of a long slice, and says how to see the others', () => {
    const text = sessionText({ version: 9, slices: { plan: steps(30) }, host: 'run/x/session-1' }, 20);
    expect(text).toMatch(/^version 9, shared: read from its host x\/session-1\n/);
    expect(text).toContain('plan: 30 records, of which these are the last 20 (all: --slice plan)');
    expect(text).not.toMatch(/\bS9\b/);
    expect(text).toContain('S10');
  });

  test('without records says so', () => {
    expect(sessionText({ version: 0, slices: {}, host: null }, 20)).toBe('version 0\n\nNo records.');
  });

  test('between two versions is a line for each record that is new, different or gone', () => {
    const before = { version: 1, slices: { plan: steps(2), notes: [] } };
    const after = {
      version: 4,
      slices: { plan: [steps(1)[0]!, { id: 'S1', title: 'Other' }], notes: [{ text: 'new' }] },
    };
    expect(changeLines(before, after)).toEqual([
      '4  - plan  id=S1  title=Step 1',
      '4  + plan  id=S1  title=Other',
      '4  + notes  text=new',
    ]);
    expect(changeLines(after, after)).toEqual([]);
  });
});
