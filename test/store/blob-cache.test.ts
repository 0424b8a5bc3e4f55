import { setTimeout as pause } from 'node:timers/promises';
import { mediaTypes, type BlobRef } from '../../domain/store';
import { BlobCache } from '../../store/driver/blob-cache';
import { DriverRunStore } from '../../store/driver/driver-run-store';
import type { RunDriver } from '../../store/driver/ports';
import { plainSealing } from '../../store/driver/sealing';

const kibibyte = 1024;

/** A driver in memory that counts how often blobs are read. */
function countingDriver(): { readonly driver: RunDriver; readonly reads: string[] } {
  const contents = new Map<string, Uint8Array>();
  const reads: string[] = [];
  const nothing = async function* (): AsyncGenerator<never> {
    // The journal is empty.
  };
  const driver: RunDriver = {
    blobs: {
      write: (name, content) => Promise.resolve(void contents.set(name, content)),
      read: (name) => {
        reads.push(name);
        return Promise.resolve(contents.get(name));
      },
      size: (name) => Promise.resolve(contents.get(name)?.byteLength),
      names: nothing,
    },
    journal: { create: () => Promise.resolve(true), read: () => Promise.resolve(undefined), list: nothing },
    flush: () => Promise.resolve(),
  };
  return { driver, reads };
}

/** Stores this many blobs of a size, each with its own content. */
async function fill(run: DriverRunStore, count: number, bytes: number): Promise<BlobRef[]> {
  const contents = Array.from({ length: count }, (_, index) => Buffer.alloc(bytes, index + 1));
  return Promise.all(contents.map((content) => run.put(content, mediaTypes.text)));
}

test('a blob is read once from the driver, and again only after it had to make room for others', async () => {
  const { driver, reads } = countingDriver();
  const run = new DriverRunStore('r1', driver, plainSealing, new BlobCache(64 * kibibyte));
  const refs = await fill(run, 12, 6 * kibibyte);
  const [first, second] = [refs[0]!, refs[1]!];
  for (const ref of [first, second, first, second]) await run.get(ref, 'test');
  expect(reads).toHaveLength(2);
  // Ten of them fit. The first one is looked at again and again, and stays.
  for (const ref of refs) {
    await run.get(ref, 'test');
    await run.get(first, 'test');
  }
  expect(reads.filter((name) => name === first.hash)).toHaveLength(1);
  await run.get(second, 'test');
  expect(reads.filter((name) => name === second.hash)).toHaveLength(2);
});

test('a blob that would take more than its share is not kept, and another run gets its own', async () => {
  const { driver, reads } = countingDriver();
  const cache = new BlobCache(64 * kibibyte);
  const run = new DriverRunStore('r1', driver, plainSealing, cache);
  const [large] = await fill(run, 1, 9 * kibibyte);
  for (let time = 0; time < 2; time += 1) await run.get(large!, 'test');
  expect(reads).toHaveLength(2);
  const [small] = await fill(run, 1, kibibyte);
  await run.get(small!, 'test');
  const other = new DriverRunStore('r2', countingDriver().driver, plainSealing, cache);
  await expect(other.get(small!, 'test')).rejects.toMatchObject({ type: 'Store.BlobMissing' });
});

test('a blob is dropped when nobody has used it for a while', async () => {
  const ref = { hash: 'h', bytes: 4, mediaType: mediaTypes.text };
  const [kept, idle] = [new BlobCache(64 * kibibyte), new BlobCache(64 * kibibyte, 50)];
  for (const cache of [kept, idle]) cache.set('r1', ref, Buffer.from('text'));
  expect(kept.get('r1', ref)).toEqual(Buffer.from('text'));
  await pause(200);
  expect(kept.get('r1', ref)).toEqual(Buffer.from('text'));
  expect(idle.get('r1', ref)).toBeUndefined();
});
