import { readFile, truncate, unlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BlobCorruptError, BlobMissingError, type BlobRef, type RunStore } from '../../domain/store';
import { openFileStore } from '../../store/file/open-file-store';
import { blobFile, filesIn, newFolder, text, utf8 } from './support/folders';
import { runChild } from './support/processes';

async function storedBlob(): Promise<{ root: string; run: RunStore; ref: BlobRef; file: string }> {
  const root = await newFolder();
  const run = (await openFileStore(root)).forRun('r1');
  const ref = await run.put(utf8('a content worth keeping'), 'text/plain');
  return { root, run, ref, file: blobFile(root, 'r1', ref) };
}

async function flipBit(file: string, at: number): Promise<void> {
  const bytes = await readFile(file);
  bytes[at] = bytes[at]! ^ 1;
  await writeFile(file, bytes);
}

test('a flipped bit is detected, and the error names run, hash and what needed it', async () => {
  const { run, ref, file } = await storedBlob();
  await flipBit(file, 5);
  const reading = run.get(ref, 'prompt of the root agent');
  await expect(reading).rejects.toThrow(BlobCorruptError);
  await expect(reading).rejects.toMatchObject({
    type: 'Store.BlobCorrupt',
    facts: { runId: 'r1', hash: ref.hash, neededBy: 'prompt of the root agent' },
  });
});

test('a truncated file is detected', async () => {
  const { run, ref, file } = await storedBlob();
  await truncate(file, 7);
  await expect(run.get(ref, 'the test')).rejects.toThrow(/is 7 bytes instead of 23/);
  expect(await run.has(ref)).toBe(false);
});

test('a ref with the wrong length is not served', async () => {
  const { run, ref } = await storedBlob();
  await expect(run.get({ ...ref, bytes: 5 }, 'the test')).rejects.toThrow(BlobCorruptError);
});

test('a missing blob is reported with run, hash and what needed it', async () => {
  const { run, ref, file } = await storedBlob();
  await unlink(file);
  const reading = run.get(ref, 'turn 12');
  await expect(reading).rejects.toThrow(BlobMissingError);
  await expect(reading).rejects.toMatchObject({ facts: { runId: 'r1', hash: ref.hash, neededBy: 'turn 12' } });
});

test.each([
  ['truncated', (file: string) => truncate(file, 3)],
  ['flipped', (file: string) => flipBit(file, 0)],
  ['missing', (file: string) => unlink(file)],
])('putting the content again repairs a %s blob', async (_, harm) => {
  const { run, ref, file } = await storedBlob();
  await harm(file);
  await run.put(utf8('a content worth keeping'), 'text/plain');
  expect(text(await run.get(ref, 'the test'))).toBe('a content worth keeping');
});

test('a damaged journal record is an error and is not overwritten', async () => {
  const { root, run } = await storedBlob();
  await run.putIfAbsent('call 1', utf8('a paid answer'));
  const name = (await filesIn(root)).find((file) => file.includes('/journal/'))!;
  const size = (await readFile(join(root, name))).byteLength;
  for (let at = 0; at < size; at += 1) {
    await flipBit(join(root, name), at);
    await expect(run.find('call 1')).rejects.toThrow(BlobCorruptError);
    await flipBit(join(root, name), at);
  }
  await flipBit(join(root, name), size - 1);
  await expect(run.putIfAbsent('call 1', utf8('another'))).rejects.toThrow(/journal key "call 1"/);
});

test.each(['blob', 'journal'])('a process killed before it published a %s leaves nothing readable', async (kind) => {
  const { root, run } = await storedBlob();
  const before = await filesIn(root);
  const { signal } = await runChild('dieBeforePublishing', root, kind);
  expect(signal).toBe('SIGKILL');
  const left = (await filesIn(root)).filter((file) => !before.includes(file));
  expect(left).toEqual([expect.stringMatching(/^runs\/r1\/tmp\/.*\.tmp$/)]);
  expect(await run.find('key')).toBeUndefined();
  expect(text(await run.putIfAbsent('key', utf8('whole')))).toBe('whole');

  await openFileStore(root);
  expect(await filesIn(root)).toContain(left[0]);
  await utimes(join(root, left[0]!), 0, 0);
  await openFileStore(root);
  expect(await filesIn(root)).not.toContain(left[0]);
});
