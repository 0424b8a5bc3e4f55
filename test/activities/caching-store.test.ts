import { cachingStore } from '../../activities/caching-store';
import { mediaTypes, type RunStore, type Store } from '../../domain/store';
import { MemoryRunStore } from '../store/support/memory-run-store';

const emptyStore: Omit<Store, 'forRun'> = {
  id: 's1',
  checkWritable: () => Promise.resolve(),
  listRuns: () => Promise.resolve([]),
  deleteRun: () => Promise.resolve(true),
};

describe('a caching store', () => {
  let below: MemoryRunStore;
  let above: RunStore;
  beforeEach(() => {
    below = new MemoryRunStore();
    above = cachingStore({ ...emptyStore, forRun: () => below }).forRun('r1');
  });
  const bytes = Buffer.from('a prompt');

  test('reads a blob only once, and not at all if it wrote it itself', async () => {
    const written = await above.put(bytes, mediaTypes.text);
    expect(Buffer.from(await above.get(written, 'test'))).toEqual(bytes);
    const other = await below.put(Buffer.from('of another worker'), mediaTypes.text);
    await above.get(other, 'test');
    await above.get(other, 'test');
    expect(below.reads).toEqual([other.hash]);
  });

  test('always writes, so a blob that was deleted in the meantime is stored again', async () => {
    const ref = await above.put(bytes, mediaTypes.text);
    below.blobs.clear();
    await above.put(bytes, mediaTypes.text);
    expect(below.blobs.has(ref.hash)).toBe(true);
  });

  test('keeps its own copy of what was written', async () => {
    const buffer = Buffer.from(bytes);
    const ref = await above.put(buffer, mediaTypes.text);
    buffer.fill(0);
    expect(Buffer.from(await above.get(ref, 'test'))).toEqual(bytes);
  });

  test('keeps one copy of what several runs have read, but reads it for each of them', async () => {
    const runs = new Map(['r1', 'r2'].map((runId) => [runId, new MemoryRunStore(runId)]));
    const store = cachingStore({ ...emptyStore, forRun: (runId) => runs.get(runId)! });
    const [first, second] = ['r1', 'r2'].map((runId) => store.forRun(runId)) as [RunStore, RunStore];
    const ref = await runs.get('r1')!.put(bytes, mediaTypes.text);
    const kept = await first.get(ref, 'test');
    await expect(second.get(ref, 'test')).rejects.toMatchObject({ type: 'Store.BlobMissing' });
    await runs.get('r2')!.put(bytes, mediaTypes.text);
    await second.get(ref, 'test');
    expect(await second.get(ref, 'test')).toBe(kept);
  });

  test('does not cache that a key is missing, but caches the winner', async () => {
    expect(await above.find('k')).toBeUndefined();
    await below.putIfAbsent('k', bytes);
    expect(await above.putIfAbsent('k', Buffer.from('too late'))).toEqual(bytes);
    expect(Buffer.from((await above.find('k')) ?? [])).toEqual(bytes);
  });

  test('leaves a ref of the wrong size to the store', async () => {
    const ref = await above.put(bytes, mediaTypes.text);
    await expect(above.get({ ...ref, bytes: 1 }, 'test')).rejects.toMatchObject({ type: 'Store.BlobCorrupt' });
  });
});
