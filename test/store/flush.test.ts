import { readdir, readFile, rename, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BlobRef, BlobCorruptError, type RunStore, StoreUnavailableError } from '../../domain/store';
import { openFileStore } from '../../store/file/open-file-store';
import { publishing } from '../../store/publishing';
import { blobFile, newFolder, text, utf8 } from './support/folders';
import { runChild } from './support/processes';
import { WatchedFiles } from './support/watched-files';

const later = { later: true } as const;
interface Watched {
  readonly root: string;
  readonly disk: WatchedFiles;
  /** Another object for the same run, as another activity has it. */
  another(): RunStore;
}

async function watchedRun(type?: number): Promise<Watched & { readonly run: RunStore }> {
  const root = await newFolder();
  const disk = new WatchedFiles();
  disk.type = type;
  const store = await openFileStore(root, { files: disk.files });
  const another = (): RunStore => store.forRun('r1');
  return { root, disk, run: another(), another };
}

const warn = jest.spyOn(process, 'emitWarning').mockImplementation();

async function journalFile(root: string): Promise<string> {
  const folder = join(root, 'runs', 'r1', 'journal');
  return join(folder, (await readdir(folder))[0]!);
}

test('what was published survives the death of its process', async () => {
  const root = await newFolder();
  const { signal } = await runChild('dieAfterPublishing', root);
  expect(signal).toBe('SIGKILL');
  const run = (await openFileStore(root)).forRun('r1');
  expect(text(await run.find('key'))).toBe('record');
  const ref: BlobRef = { hash: (await readdir(join(root, 'runs/r1/blobs')))[0]!, bytes: 4, mediaType: 'text/plain' };
  expect(text(await run.get(ref, 'the test'))).toBe('blob');
});

test('after a flush everything that was written is on the disk, and not before', async () => {
  const { root, disk, run } = await watchedRun();
  const publisher = publishing(run);
  const blob = blobFile(root, 'r1', await publisher.put(utf8('blob'), 'text/plain'));
  await publisher.putIfAbsent('key', utf8('record'));
  const record = await journalFile(root);
  const areDurable = (): Promise<boolean[]> => Promise.all([blob, record].map((path) => disk.isDurable(path)));
  expect(await areDurable()).toEqual([false, false]);
  await publisher.flush();
  expect(await areDurable()).toEqual([true, true]);
});

test.each([
  ['a record that is found', async (run: RunStore) => run.find('key'), journalFile],
  ['a record that was first', async (run: RunStore) => run.putIfAbsent('key', utf8('second'), later), journalFile],
  [
    'a blob that is there',
    async (run: RunStore) => run.put(utf8('blob'), 'text/plain', later),
    async (root: string) => join(root, 'runs/r1/blobs', (await readdir(join(root, 'runs/r1/blobs')))[0]!),
  ],
])('%s, whose writer died before its flush, is flushed by the next one', async (_, meet, file) => {
  const { root, disk, run, another } = await watchedRun();
  await run.put(utf8('blob'), 'text/plain', later);
  await run.putIfAbsent('key', utf8('record'), later);
  const next = another();
  await meet(next);
  await next.flush();
  expect(await disk.isDurable(await file(root))).toBe(true);
});

test.each([
  ['keeps what it finds until the next flush, because what it writes may depend on that', {}, 1],
  ['that only reads keeps nothing', { onlyReads: true }, 0],
] as const)('a store %s', async (_, options, synced) => {
  const { root, run } = await watchedRun();
  await run.putIfAbsent('key', utf8('record'), later);
  const disk = new WatchedFiles();
  const reader = (await openFileStore(root, { files: disk.files, ...options })).forRun('r1');
  expect(text(await reader.find('key'))).toBe('record');
  const before = disk.syncs.length;
  await reader.flush();
  expect(disk.syncs.slice(before)).toHaveLength(synced);
});

test.each(['putIfAbsent', 'put'] as const)('a %s that is not for later syncs what it finds', async (method) => {
  const { root, disk, run, another } = await watchedRun();
  await run.put(utf8('blob'), 'text/plain', later);
  await run.putIfAbsent('key', utf8('record'), later);
  if (method === 'put') await another().put(utf8('blob'), 'text/plain');
  else await another().putIfAbsent('key', utf8('second'));
  const folder = join(root, 'runs/r1', method === 'put' ? 'blobs' : 'journal');
  expect(await disk.isDurable(join(folder, (await readdir(folder))[0]!))).toBe(true);
});

test('a file whose sync fails is written anew instead of being synced again', async () => {
  const { root, disk, run } = await watchedRun();
  await run.putIfAbsent('key', utf8('record'), later);
  const record = await journalFile(root);
  disk.failing = true;
  await run.flush();
  expect(await disk.isDurable(`${record}.again-1`)).toBe(true);
  expect(disk.syncs.filter((path) => path.endsWith('.tmp'))).toHaveLength(1);
  expect(text(await run.find('key'))).toBe('record');
});

test('a file that can be neither synced nor written anew is left to the next flush in its run', async () => {
  const { root, disk, run, another } = await watchedRun();
  await run.putIfAbsent('key', utf8('record'), later);
  disk.failing = disk.failingWrites = true;
  await expect(run.flush()).rejects.toThrow(StoreUnavailableError);
  disk.failing = disk.failingWrites = false;
  await another().flush();
  const record = await journalFile(root);
  expect(await disk.isDurable(`${record}.again-1`)).toBe(true);
  await truncate(record, 3);
  expect(text(await another().find('key'))).toBe('record');
});

test('a file that could not be synced does not replace a record that another worker has written since', async () => {
  const { root, disk, run, another } = await watchedRun();
  await run.putIfAbsent('key', utf8('first'), later);
  disk.failing = disk.failingWrites = true;
  await expect(run.flush()).rejects.toThrow(StoreUnavailableError);
  disk.failing = disk.failingWrites = false;
  // The disk has not kept the file, so another worker finds it damaged.
  await truncate(await journalFile(root), 3);
  const other = (await openFileStore(root)).forRun('r1');
  expect(text(await other.putIfAbsent('key', utf8('second')))).toBe('second');
  await another().flush();
  expect(text(await another().find('key'))).toBe('second');
});

test('a record that a power cut tore before it was synced counts as absent, and stays', async () => {
  const { root, run, another } = await watchedRun();
  await run.putIfAbsent('answer/1', utf8('paid'), later);
  const record = await journalFile(root);
  await truncate(record, 10);
  const contents = async (): Promise<(string | undefined)[]> => {
    const found: (string | undefined)[] = [];
    for await (const { bytes } of another().entries('answer')) found.push(text(bytes));
    return found;
  };
  expect(await contents()).toEqual([]);
  expect(await another().find('answer/1')).toBeUndefined();
  expect(text(await another().putIfAbsent('answer/1', utf8('paid again'), later))).toBe('paid again');
  expect(warn).toHaveBeenCalledWith(expect.stringContaining('has torn'));
  expect((await readFile(record)).byteLength).toBe(10);
  expect(await contents()).toEqual(['paid again']);
  // A copy of the store does not show which files were synced.
  await writeFile(`${record}.copy`, await readFile(record));
  await rename(`${record}.copy`, record);
  expect(text(await another().find('answer/1'))).toBe('paid again');
});

test('a torn record gives way to one that is written without a look', async () => {
  const { root, run, another } = await watchedRun();
  await run.putIfAbsent('key', utf8('torn'), later);
  await writeFile(await journalFile(root), '');
  expect(text(await another().putIfAbsent('key', utf8('whole')))).toBe('whole');
});

test('a record that was flushed and is damaged is an error', async () => {
  const { root, run, another } = await watchedRun();
  await run.putIfAbsent('key', utf8('record'), later);
  await run.flush();
  await until(async () => (await stat(await journalFile(root))).nlink === 1);
  await truncate(await journalFile(root), 10);
  await expect(another().find('key')).rejects.toThrow(BlobCorruptError);
});

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 5));
}

test('where others might see a name without its content, everything is synced at once', async () => {
  const nfs = 0x6969;
  const { root, disk, run } = await watchedRun(nfs);
  const ref = await run.put(utf8('blob'), 'text/plain', later);
  await run.putIfAbsent('key', utf8('record'), later);
  expect(await disk.isDurable(blobFile(root, 'r1', ref))).toBe(true);
  expect(await disk.isDurable(await journalFile(root))).toBe(true);
});

test('a thousand files that nobody flushes do not stay open', async () => {
  const { disk, run } = await watchedRun();
  await Promise.all(Array.from({ length: 1_000 }, (_, n) => run.put(utf8(`blob ${n}`), 'text/plain', later)));
  expect(disk.open).toBeLessThanOrEqual(256);
  // Besides those, one for each write that is on its way, and one for a folder.
  expect(disk.mostOpen).toBeLessThanOrEqual(256 + 64 + 2);
  await run.flush();
  await until(() => Promise.resolve(disk.open === 0));
});
