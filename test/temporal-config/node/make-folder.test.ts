import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeRoot } from '../../../store/file/make-root';
import { makeFolder, makeFolderSync } from '../../../temporal-config/node/make-folder';

const ways: Readonly<Record<string, (path: string) => Promise<unknown>>> = {
  makeFolder: (path) => makeFolder(path, { mode: 0o700 }),
  makeFolderSync: (path) =>
    Promise.resolve().then(() => {
      makeFolderSync(path, { mode: 0o700 });
    }),
  makeRoot: (path) => makeRoot(path),
};

describe.each(Object.keys(ways))('%s', (name) => {
  const make = ways[name]!;

  test('creates a folder with those above it, and accepts one that exists', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'baton-folders-'));
    const path = join(folder, 'a', 'b', 'c');
    await make(path);
    await make(path);
    expect((await stat(path)).mode & 0o777).toBe(0o700);
    await rm(folder, { recursive: true });
  });

  // Node.js itself would try for ever.
  test('fails where a file system has no room for folders', async () => {
    await expect(make('/proc/nope/x/y')).rejects.toThrow(/ENOENT|EPERM|EACCES/);
  });
});
