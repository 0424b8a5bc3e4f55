import { changedByOthers, type Session } from '../../../domain/session';

const session = (version: number, files: Readonly<Record<string, string>>): Session => ({
  version,
  slices: { files: Object.entries(files).map(([path, hash]) => ({ path, hash, bytes: 1 })) },
});
const wrote = (path: string, newHash: string): Parameters<typeof changedByOthers>[3] => [
  { changes: [{ path, expectedHash: null, newHash, bytes: 1 }] },
];

describe('files changed by others', () => {
  const before = session(1, { 'a.txt': 'a1', 'b.txt': 'b1' });

  test('are those that others changed or created', () => {
    const after = session(2, { 'a.txt': 'a2', 'b.txt': 'b1', 'c.txt': 'c1' });
    expect(changedByOthers([], before, after, [])).toEqual(['a.txt', 'c.txt']);
  });

  test('do not include those that the agent wrote itself', () => {
    const after = session(2, { 'a.txt': 'a2', 'b.txt': 'b1' });
    expect(changedByOthers([], before, after, wrote('a.txt', 'a2'))).toEqual([]);
  });

  test('include those that another agent changed right after it', () => {
    const after = session(3, { 'a.txt': 'a3', 'b.txt': 'b1' });
    expect(changedByOthers([], before, after, wrote('a.txt', 'a2'))).toEqual(['a.txt']);
  });

  test('stay listed until they are read, each once, at most the newest hundred', () => {
    const after = session(2, { 'a.txt': 'a2', 'b.txt': 'b1' });
    expect(changedByOthers(['a.txt', 'z.txt'], before, after, [])).toEqual(['a.txt', 'z.txt']);
    const many = session(2, Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`f${i}`, `${i}`])));
    const unseen = changedByOthers([], before, many, []);
    expect(unseen).toHaveLength(100);
    expect(unseen).toContain('f149');
  });
});
