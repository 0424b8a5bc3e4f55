import { readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StoreUnavailableError, WrongStoreError } from '../../domain/store';
import { openFileStore } from '../../store/file/open-file-store';
import { blobFile, filesIn, newFolder, text, utf8 } from './support/folders';

test('a blob is returned as it was stored', async () => {
  const run = (await openFileStore(await newFolder())).forRun('r1');
  const ref = await run.put(utf8('héllo'), 'text/plain');
  expect(ref).toEqual({
    hash: '3c48591d8d098a4538f5e013dfcf406e948eac4d3277b10bf614e295d6068179',
    bytes: 6,
    mediaType: 'text/plain',
  });
  expect(text(await run.get(ref, 'the test'))).toBe('héllo');
  expect(await run.has(ref)).toBe(true);
  expect(await run.has({ ...ref, hash: 'a'.repeat(64) })).toBe(false);
});

test('an empty blob and a blob with every byte value are returned unchanged', async () => {
  const run = (await openFileStore(await newFolder())).forRun('r1');
  const all = Uint8Array.from({ length: 256 }, (_, n) => n);
  expect((await run.get(await run.put(new Uint8Array(), 'x/y'), 'the test')).byteLength).toBe(0);
  expect(Uint8Array.from(await run.get(await run.put(all, 'x/y'), 'the test'))).toEqual(all);
});

test('files are accessible only to their owner, and have the documented paths', async () => {
  const root = await newFolder();
  const run = (await openFileStore(root)).forRun('r1');
  const ref = await run.put(utf8('x'), 'text/plain');
  await run.putIfAbsent('key', utf8('y'));
  const files = await filesIn(root);
  const journal = 'runs/r1/journal/key.2c70e12b7a0646f92279f427c7b38e7334d8e5389cff167a1dc30e73f826b683';
  expect(files).toEqual([`runs/r1/blobs/${ref.hash}`, journal, 'store.json']);
  for (const file of files) expect((await stat(join(root, file))).mode & 0o777).toBe(0o600);
  for (const folder of ['runs', 'runs/r1', 'runs/r1/blobs', 'runs/r1/tmp']) {
    expect((await stat(join(root, folder))).mode & 0o777).toBe(0o700);
  }
});

test('putting the same bytes again writes nothing', async () => {
  const root = await newFolder();
  const run = (await openFileStore(root)).forRun('r1');
  const ref = await run.put(utf8('same'), 'text/plain');
  const before = await stat(blobFile(root, 'r1', ref));
  expect(await run.put(utf8('same'), 'text/plain')).toEqual(ref);
  expect((await stat(blobFile(root, 'r1', ref))).ino).toBe(before.ino);
  expect(await readdir(join(root, 'runs/r1/tmp'))).toEqual([]);
});

test('only a valid hash becomes a path', async () => {
  const run = (await openFileStore(await newFolder())).forRun('r1');
  for (const hash of ['../../../store.json', 'A'.repeat(64), 'a'.repeat(63), '']) {
    const ref = { hash, bytes: 1, mediaType: 'text/plain' };
    await expect(run.get(ref, 'the test')).rejects.toMatchObject({ type: 'Input.Invalid' });
    await expect(run.has(ref)).rejects.toMatchObject({ type: 'Input.Invalid' });
  }
});

test('the store keeps its id, and a hundred concurrent opens return the same one', async () => {
  const root = join(await newFolder(), 'deep', 'er');
  const stores = await Promise.all(Array.from({ length: 100 }, () => openFileStore(root)));
  const again = await openFileStore(root);
  expect(new Set(stores.map((store) => store.id))).toEqual(new Set([again.id]));
  expect(await filesIn(root)).toEqual(['store.json']);
});

test('a folder with other content is not used as a store', async () => {
  const root = await newFolder();
  await writeFile(join(root, 'thesis.txt'), 'years of work');
  await expect(openFileStore(root)).rejects.toThrow(/not a store/);
  expect(await filesIn(root)).toEqual(['thesis.txt']);
});

test.each([
  ['', /damaged/],
  ['{"id":', /damaged/],
  ['{"id":"no uuid","version":1}', /damaged/],
  ['{"version":1}', /damaged/],
  ['{"id":"3e0cbb32-92a1-4f0e-9a5c-0d8f6f7e6a11","version":5}', /newer/],
  ['{"id":"3e0cbb32-92a1-4f0e-9a5c-0d8f6f7e6a11","version":2}', /earlier Baton/],
])('a store.json of %j is refused, and not changed', async (content, message) => {
  const root = await newFolder();
  await writeFile(join(root, 'store.json'), content);
  const opening = openFileStore(root);
  await expect(opening).rejects.toThrow(message);
  await expect(opening).rejects.toThrow(StoreUnavailableError);
  expect(await readFile(join(root, 'store.json'), 'utf8')).toBe(content);
});

test('another store in the same folder is distinguished from a lost blob', async () => {
  const root = await newFolder();
  const run = (await openFileStore(root)).forRun('r1');
  const other = { id: '3e0cbb32-92a1-4f0e-9a5c-0d8f6f7e6a11', version: 4 };
  await writeFile(join(root, 'store.json'), JSON.stringify(other));
  const lost = { hash: 'a'.repeat(64), bytes: 1, mediaType: 'text/plain' };
  await expect(run.get(lost, 'the test')).rejects.toThrow(WrongStoreError);
});

test('another store that replaces one in use gets none of its runs', async () => {
  const root = join(await newFolder(), 'store');
  const run = (await openFileStore(root)).forRun('r1');
  const ref = await run.put(utf8('x'), 'text/plain');
  expect(await run.find('key')).toBeUndefined();
  await rename(root, `${root}-before`);
  await openFileStore(root);
  await expect(run.get(ref, 'the test')).rejects.toThrow(WrongStoreError);
  await expect(run.find('key')).rejects.toThrow(WrongStoreError);
  await expect(run.put(utf8('y'), 'text/plain')).rejects.toThrow(WrongStoreError);
  await expect(run.putIfAbsent('key', utf8('y'))).rejects.toThrow(WrongStoreError);
  expect(await filesIn(root)).toEqual(['store.json']);
});
