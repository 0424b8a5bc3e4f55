import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isStoreTrouble, mediaTypes, type Store } from '../../domain/store';
import { KeyRing } from '../../encryption/key-ring';
import { openFileStore } from '../../store/file/open-file-store';

const [old, recent] = [
  { id: '2026-05', bytes: randomBytes(32) },
  { id: '2026-11-and-a-longer-id', bytes: randomBytes(32) },
];
const secret = Buffer.from('The harbour is for sale.');
const text = mediaTypes.text;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'baton-sealed-'));
});
afterEach(() => rm(folder, { recursive: true }));

const open = (...keys: { id: string; bytes: Buffer }[]): Promise<Store> =>
  openFileStore(folder, keys.length === 0 ? {} : { encryption: new KeyRing(keys) });

/** All files of the store, by name. */
async function files(): Promise<Map<string, Buffer>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(await Promise.all(found.map(async (path) => [path, await readFile(path)] as const)));
}

async function fill(store: Store, content = secret): Promise<void> {
  const run = store.forRun('r1');
  await run.put(content, text);
  await run.putIfAbsent('call/harbour/1', content);
  await run.volatile?.write('reply/harbour', content);
}

test('nothing that is stored, and no name, tells what it is; the same hash is read as without keys', async () => {
  const store = await open(old);
  await fill(store);
  const run = store.forRun('r1');
  const ref = await run.put(secret, text);
  expect(Buffer.from(await run.get(ref, 'test'))).toEqual(secret);
  expect(await run.has(ref)).toBe(true);
  expect(Buffer.from((await run.find('call/harbour/1')) ?? [])).toEqual(secret);
  expect(Buffer.from((await run.volatile?.read('reply/harbour')) ?? [])).toEqual(secret);
  const listed = [];
  for await (const { key } of run.entries('call')) listed.push(key);
  expect(listed).toEqual(['call/harbour/1']);
  expect(await run.verify()).toEqual({ blobs: 1, damaged: [] });
  for (const [path, bytes] of await files()) {
    expect(path).not.toContain(ref.hash);
    expect(bytes.includes('harbour')).toBe(false);
    expect(bytes.includes(ref.hash)).toBe(false);
  }
});

test('equal contents have equal bytes, and the first writer of a key wins', async () => {
  const [one, other] = [(await open(old)).forRun('r1'), (await open(old)).forRun('r1')];
  await one.put(secret, text);
  const before = await files();
  await other.put(secret, text);
  expect(await files()).toEqual(before);
  const writers = await Promise.all([one, other].map((run, at) => run.putIfAbsent('call/1', Buffer.from([at]))));
  expect(writers[0]).toEqual(writers[1]);
});

test('a key is added in front: it encrypts from then on, and all workers agree on names in the meantime', async () => {
  await fill(await open(old));
  // One worker has moved on, the other has only been given the new key so far.
  const [ahead, behind] = [await open(recent, old), await open(old, recent)];
  const later = Buffer.from('And the lighthouse.');
  expect(await ahead.forRun('r1').putIfAbsent('call/2', later)).toEqual(later);
  expect(await behind.forRun('r1').putIfAbsent('call/2', secret)).toEqual(later);
  const ref = await ahead.forRun('r1').put(later, text);
  expect(await behind.forRun('r1').has(ref)).toBe(true);
  expect(Buffer.from(await behind.forRun('r1').get(ref, 'test'))).toEqual(later);
  expect(Buffer.from((await ahead.forRun('r1').find('call/harbour/1')) ?? [])).toEqual(secret);
});

test('what was stored without encryption stays readable, and no more of it is written', async () => {
  await fill(await open());
  const run = (await open(old)).forRun('r1');
  expect(Buffer.from((await run.find('call/harbour/1')) ?? [])).toEqual(secret);
  expect(await run.putIfAbsent('call/harbour/1', Buffer.from('other'))).toEqual(secret);
  expect(await run.verify()).toEqual({ blobs: 1, damaged: [] });
  const fresh = Buffer.from('A new plan for the lighthouse.');
  await run.put(fresh, text);
  for (const bytes of (await files()).values()) expect(bytes.includes('lighthouse')).toBe(false);
});

test('without the key, everything is refused as a matter of the key, which ends by itself', async () => {
  const ref = await (await open(old)).forRun('r1').put(secret, text);
  await (await open(old)).forRun('r1').putIfAbsent('call/1', secret);
  for (const keys of [[], [recent]]) {
    const run = (await open(...keys)).forRun('r1');
    const failure = await run.get(ref, 'test').catch((error: unknown) => error);
    expect(failure).toMatchObject({ type: 'Encryption.KeyMissing' });
    expect(isStoreTrouble(failure)).toBe(true);
    await expect(run.entries('call')[Symbol.asyncIterator]().next()).rejects.toMatchObject({
      type: 'Encryption.KeyMissing',
      message: 'This data is encrypted with the key "2026-05", which is not among the keys here',
    });
    await expect(run.verify()).rejects.toMatchObject({ type: 'Encryption.KeyMissing' });
  }
});

test('a content that was changed, or put in the place of another, is damaged', async () => {
  const store = await open(old);
  const [ref, other] = [
    await store.forRun('r1').put(secret, text),
    await store.forRun('r1').put(randomBytes(24), text),
  ];
  const [path = '', otherPath = ''] = [...(await files())]
    .filter(([name]) => name.includes('blobs'))
    .map(([name]) => name);
  const [content, otherContent] = [await readFile(path), await readFile(otherPath)];
  for (const changed of [otherContent, content.subarray(0, 20), Buffer.from('plain')]) {
    await writeFile(path, changed);
    await writeFile(otherPath, changed === otherContent ? content : changed);
    for (const one of [ref, other])
      await expect(store.forRun('r1').get(one, 'test')).rejects.toMatchObject({ type: 'Store.BlobCorrupt' });
  }
});
