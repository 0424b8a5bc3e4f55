import type { RunStore } from '../../domain/store';
import { type FileSystem, realFiles } from '../../store/file/disk';
import { openFileStore } from '../../store/file/open-file-store';
import { newFolder, utf8 } from './support/folders';

/** A file system that records the name of each call. */
function counted(calls: string[]): FileSystem {
  return new Proxy(realFiles, {
    get: (files, name: keyof FileSystem) => {
      calls.push(name);
      return files[name];
    },
  });
}

/** A run whose folders exist. The object is new, as every activity has one. */
async function warmRun(calls: string[]): Promise<RunStore> {
  const store = await openFileStore(await newFolder(), { files: counted(calls) });
  const run = store.forRun('r1');
  await run.put(utf8('first'), 'text/plain');
  await run.putIfAbsent('first', utf8('first'));
  await run.find('nothing');
  // The first one finds out whether the file system allows it.
  await run.put(utf8('later'), 'text/plain', { later: true });
  await run.flush();
  return store.forRun('r1');
}

const syncOfFolder = ['open', 'fsync', 'close'];

// Agents write many small files, so every unnecessary call costs time. `stat` looks for the mark of a deletion, and at a
// file that is there for the mark of one that was never synced.
test.each<[string, (run: RunStore) => Promise<unknown>, string[]]>([
  [
    'a new blob',
    (run) => run.put(utf8('x'), 'text/plain'),
    ['readFile', 'stat', 'writeFile', 'rename', ...syncOfFolder],
  ],
  ['a blob that is there', (run) => run.put(utf8('first'), 'text/plain'), ['readFile', 'stat', ...syncOfFolder]],
  ['a new key', (run) => run.putIfAbsent('x', utf8('x')), ['stat', 'writeFile', 'link', 'unlink', ...syncOfFolder]],
  [
    'a new blob for later',
    (run) => run.put(utf8('x'), 'text/plain', { later: true }),
    ['stat', 'create', 'write', 'link'],
  ],
  [
    'a blob for later that is there',
    (run) => run.put(utf8('first'), 'text/plain', { later: true }),
    ['stat', 'create', 'write', 'link', 'close', 'unlink', 'readFile'],
  ],
  [
    'a new key for later',
    (run) => run.putIfAbsent('x', utf8('x'), { later: true }),
    ['stat', 'create', 'write', 'link'],
  ],
  [
    'a second write',
    async (run) => {
      await run.put(utf8('x'), 'text/plain', { later: true });
      await run.put(utf8('y'), 'text/plain', { later: true });
    },
    ['stat', 'create', 'write', 'link', 'create', 'write', 'link'],
  ],
  ['a flush of nothing', (run) => run.flush(), []],
  ['a key that is looked for', (run) => run.find('first'), ['readFile']],
  ['a key that is looked for in vain', (run) => run.find('x'), ['readFile', 'stat', 'readFile']],
])('%s makes no unnecessary calls', async (_, work, expected) => {
  const calls: string[] = [];
  const run = await warmRun(calls);
  calls.length = 0;
  await work(run);
  expect(calls).toEqual(expected);
});

test('a check after a write looks only for the store, and one without writes a file that it does not sync', async () => {
  const calls: string[] = [];
  const store = await openFileStore(await newFolder(), { files: counted(calls) });
  calls.length = 0;
  await Promise.all([store.checkWritable(), store.checkWritable()]);
  expect(calls.filter((call) => call === 'writeFile')).toHaveLength(1);
  expect(calls).not.toContain('fsync');
  await store.forRun('r1').put(utf8('x'), 'text/plain');
  calls.length = 0;
  await store.checkWritable();
  expect(calls).toEqual(['stat']);
});

test('concurrent writes share the sync of their folder', async () => {
  const calls: string[] = [];
  const run = await warmRun(calls);
  calls.length = 0;
  await Promise.all(Array.from({ length: 40 }, (_, n) => run.put(utf8(`blob ${n}`), 'text/plain')));
  expect(calls.filter((call) => call === 'fsync').length).toBeLessThan(30);
  expect(calls).not.toContain('mkdir');
});

test('a flush syncs each file and each folder once, all at the same time', async () => {
  const calls: string[] = [];
  const run = await warmRun(calls);
  await run.put(utf8('x'), 'text/plain', { later: true });
  await run.put(utf8('y'), 'text/plain', { later: true });
  await run.putIfAbsent('x', utf8('x'), { later: true });
  calls.length = 0;
  await Promise.all([run.flush(), run.flush()]);
  const asked = calls.filter((call) => call !== 'close');
  // Two folders are opened and synced; three files are open already, and each loses its temporary name once.
  const counts = Object.fromEntries(
    ['fsync', 'open', 'unlink'].map((name) => [name, asked.filter((call) => call === name).length]),
  );
  expect(counts).toEqual({ fsync: 5, open: 2, unlink: 3 });
  expect(asked).toHaveLength(10);
  calls.length = 0;
  await run.flush();
  expect(calls).toEqual([]);
});
