import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { BlobRef } from '../../domain/store';
import { type FileSystem, realFiles } from '../../store/file/disk';
import { openFileStore } from '../../store/file/open-file-store';
import { blobFile, newFolder, text, utf8 } from './support/folders';
import { runTogether } from './support/processes';

test('two processes that write the same blobs at once produce one good copy of each', async () => {
  const root = await newFolder();
  const [one, other] = (await runTogether(2, 'put', root, '40')) as BlobRef[][];
  expect(one).toEqual(other);
  const run = (await openFileStore(root)).forRun('r1');
  for (const [n, ref] of one!.entries()) {
    expect(text(await run.get(ref, 'the test'))).toBe(`content ${n} `.repeat(500));
  }
  expect(await readdir(join(root, 'runs/r1/tmp'))).toEqual([]);
});

test('of many writers of a journal key in two processes one wins, and all get its value', async () => {
  const root = await newFolder();
  const winners = (await runTogether(2, 'race', root, '30')) as string[][];
  const run = (await openFileStore(root)).forRun('r1');
  expect(winners).toEqual([[text(await run.find('key'))], [text(await run.find('key'))]]);
  expect(await readdir(join(root, 'runs/r1/tmp'))).toEqual([]);
  expect((await stat(join(root, 'runs/r1/journal', (await readdir(join(root, 'runs/r1/journal')))[0]!))).nlink).toBe(1);
});

test('processes that create a store at once agree on its id', async () => {
  const root = join(await newFolder(), 'store');
  const ids = await runTogether(3, 'open', root);
  expect(new Set([...ids, (await openFileStore(root)).id]).size).toBe(1);
});

test('several hundred concurrent puts all succeed', async () => {
  const run = (await openFileStore(await newFolder())).forRun('r1');
  const contents = Array.from({ length: 300 }, (_, n) => `blob ${n % 200}`);
  const refs = await Promise.all(contents.map((content) => run.put(utf8(content), 'text/plain')));
  const read = await Promise.all(refs.map((ref) => run.get(ref, 'the test')));
  expect(read.map(text)).toEqual(contents);
});

test('a reader sees a blob that is being written either completely or not at all', async () => {
  const root = await newFolder();
  const run = (await openFileStore(root)).forRun('r1');
  const content = Buffer.alloc(2_000_000, 'abc');
  const { hash } = await (await openFileStore(await newFolder())).forRun('r1').put(content, 'text/plain');
  const ref = { hash, bytes: content.byteLength, mediaType: 'text/plain' };
  let done = false as boolean;
  const writing = run.put(content, 'text/plain').finally(() => (done = true));
  while (!done) {
    const size = await stat(blobFile(root, 'r1', ref)).then(
      ({ size }) => size,
      () => undefined,
    );
    expect([undefined, content.byteLength]).toContain(size);
    if (size !== undefined) await run.get(ref, 'the test');
  }
  await writing;
});

test('an existing key keeps its first value, and keys do not collide', async () => {
  const run = (await openFileStore(await newFolder())).forRun('r1');
  expect(text(await run.putIfAbsent('a', utf8('first')))).toBe('first');
  expect(text(await run.putIfAbsent('a', utf8('second')))).toBe('first');
  expect(text(await run.putIfAbsent('a/../b', utf8('third')))).toBe('third');
  expect(text(await run.find('a'))).toBe('first');
  expect(await run.find('b')).toBeUndefined();
});

test('concurrent puts into the same folder share its sync', async () => {
  const synced: string[] = [];
  const files: FileSystem = {
    ...realFiles,
    open: (path, flags) => {
      synced.push(path);
      return realFiles.open(path, flags);
    },
  };
  const run = (await openFileStore(await newFolder(), { files })).forRun('r1');
  await run.putIfAbsent('warm-up', utf8(''));
  synced.length = 0;
  await Promise.all(Array.from({ length: 40 }, (_, n) => run.putIfAbsent(`key ${n}`, utf8(`${n}`))));
  expect(synced.length).toBeLessThan(40);
});
