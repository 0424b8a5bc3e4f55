import { decodeTree, encodeTree, type TreeEntry } from '../../../domain/workspace';

const file = (name: string): TreeEntry => ({ name, kind: 'file', hash: 'a'.repeat(64), bytes: 3 });

describe('a tree', () => {
  test('has one encoding, whatever the order of its entries', () => {
    expect(encodeTree([file('b'), file('a'), file('B')])).toBe(encodeTree([file('B'), file('a'), file('b')]));
  });

  test('is sorted by code unit', () => {
    const names = decodeTree(encodeTree(['é', 'z', 'Z', 'a', '\u{1F600}', '\uFF5E'].map(file)))?.entries.map(
      ({ name }) => name,
    );
    expect(names).toEqual(['Z', 'a', 'z', 'é', '\u{1F600}', '\uFF5E']);
  });

  test('is decoded unchanged', () => {
    const entries: TreeEntry[] = [
      { name: 'a', kind: 'file', hash: 'b'.repeat(64), bytes: 0, binary: true, executable: true },
      { name: 'b', kind: 'folder', hash: 'c'.repeat(64), bytes: 12 },
      { name: 'c', kind: 'link', hash: 'd'.repeat(64), bytes: 4 },
      { name: 'd', kind: 'unread', bytes: 99, reason: 'tooBig' },
    ];
    expect(decodeTree(encodeTree(entries))).toEqual({ entries });
  });

  test.each([
    ['no JSON', '{'],
    ['another shape', '{"files":[]}'],
    ['a name that leads elsewhere', JSON.stringify({ entries: [file('..')] })],
    ['a name with a slash', JSON.stringify({ entries: [file('a/b')] })],
    ['the wrong order', JSON.stringify({ entries: [file('b'), file('a')] })],
    ['a name twice', JSON.stringify({ entries: [file('a'), file('a')] })],
  ])('is not decoded from %s', (_, text) => {
    expect(decodeTree(text)).toBeUndefined();
  });
});
