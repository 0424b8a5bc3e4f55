import { randomUUID } from 'node:crypto';
import { BlobCorruptError, BlobMissingError, type BlobRef, type RunStore, type Store } from '../../../domain/store';
import { text, utf8 } from '../support/folders';

/** A store of one driver, as the contract needs it. */
export interface ContractStand {
  /** Opens the store as another process would. */
  open(): Promise<Store>;
  /** Changes the content of a blob or journal entry behind the store's back. `name` is its name in the driver. */
  damage(kind: 'blob' | 'entry', run: string, name: string): Promise<void>;
  /** Creates runs with one journal entry each. */
  fill(runs: readonly string[]): Promise<void>;
  /** Whether values that are overwritten often are supported. */
  readonly hasValues: boolean;
}

const later = { later: true } as const;
const mebibyte = 1024 * 1024;

/** What every driver must do. `start` is called once, before the tests. */
export function contract(start: () => Promise<ContractStand>): void {
  let stand: ContractStand;
  let store: Store;
  let another: Store;
  let run: RunStore;
  beforeAll(async () => {
    stand = await start();
    store = await stand.open();
    another = await stand.open();
  });
  afterAll(async () => {
    await store.close?.();
    await another.close?.();
  });
  beforeEach(() => {
    run = store.forRun(`run ${randomUUID()}`);
  });
  const elsewhere = (): RunStore => another.forRun(run.runId);

  describe('blobs', () => {
    test.each([0, 1, 1000, mebibyte, mebibyte + 1, 3 * mebibyte + 5, 64 * mebibyte])(
      'of %d bytes are read as they were written, by another process',
      async (size) => {
        // Neither regular nor slow to make.
        const bytes = Buffer.alloc(size, randomUUID());
        const ref = await run.put(bytes, 'x/y', size % 2 === 0 ? later : {});
        expect(await elsewhere().has(ref)).toBe(true);
        expect(bytes.equals(await elsewhere().get(ref, 'the test'))).toBe(true);
        expect(await run.put(bytes, 'x/y')).toEqual(ref);
        await run.flush();
      },
    );

    test('are written by many at the same time', async () => {
      const bytes = utf8('the same '.repeat(1000));
      const refs = await Promise.all(
        Array.from({ length: 20 }, (_, n) => (n % 2 ? run : elsewhere()).put(bytes, 'x/y')),
      );
      expect(new Set(refs.map(({ hash }) => hash)).size).toBe(1);
      expect(await run.verify()).toEqual({ blobs: 1, damaged: [] });
    });

    test('that are missing are reported with what needed them', async () => {
      const ref: BlobRef = { hash: 'a'.repeat(64), bytes: 1, mediaType: 'x/y' };
      await expect(run.get(ref, 'turn 12')).rejects.toThrow(BlobMissingError);
      expect(await run.has(ref)).toBe(false);
    });

    test.each([20, 2 * mebibyte + 1])(
      'of %d bytes that are damaged are found out, and repaired by another write',
      async (size) => {
        const bytes = Buffer.alloc(size, 'whole');
        const ref = await run.put(bytes, 'x/y');
        await stand.damage('blob', run.runId, ref.hash);
        await expect(elsewhere().get(ref, 'turn 12')).rejects.toThrow(BlobCorruptError);
        expect(await run.verify()).toEqual({ blobs: 1, damaged: [ref.hash] });
        await run.put(bytes, 'x/y');
        expect(bytes.equals(await elsewhere().get(ref, 'the test'))).toBe(true);
      },
    );

    test('are only found by a valid hash', async () => {
      const ref = { hash: '../../store.json', bytes: 1, mediaType: 'x/y' };
      await expect(run.get(ref, 'the test')).rejects.toMatchObject({ type: 'Input.Invalid' });
    });
  });

  describe('the journal', () => {
    test.each([undefined, later])('lets one of 50 writers win, and tells all of them (%j)', async (options) => {
      const writers = Array.from({ length: 50 }, (_, n) => (n % 2 ? run : elsewhere()));
      const told = await Promise.all(writers.map((writer, n) => writer.putIfAbsent('answer/1', utf8(`${n}`), options)));
      const [winner] = told;
      expect(new Set(told.map(text))).toEqual(new Set([text(winner)]));
      expect(text(await elsewhere().find('answer/1'))).toBe(text(winner));
      await run.flush();
    });

    test('returns the entries of one kind, without those that are known', async () => {
      const keys = Array.from({ length: 230 }, (_, n) => `answer/${n}`);
      await Promise.all(keys.map((key) => run.putIfAbsent(key, utf8(key), later)));
      await run.putIfAbsent('answers/1', utf8('another kind'));
      await run.putIfAbsent('Ünusual key', utf8('no kind'));
      const found = await collect(elsewhere().entries('answer'));
      expect(found.map(({ key }) => key).sort()).toEqual([...keys].sort());
      for (const { key, bytes } of found) expect(text(bytes)).toBe(key);
      const unknown = await collect(elsewhere().entries('answer', new Set(keys.slice(1))));
      expect(unknown.map(({ key }) => key)).toEqual([keys[0]]);
      expect(text(await run.find('Ünusual key'))).toBe('no kind');
      expect(await run.find('answer/none')).toBeUndefined();
    });

    test('reports an entry that is damaged, and does not overwrite it', async () => {
      await run.putIfAbsent('answer/1', utf8('paid'));
      await stand.damage('entry', run.runId, 'answer.');
      await expect(elsewhere().find('answer/1')).rejects.toThrow(BlobCorruptError);
      await expect(run.putIfAbsent('answer/1', utf8('again'))).rejects.toThrow(BlobCorruptError);
      await expect(collect(run.entries('answer'))).rejects.toThrow(BlobCorruptError);
    });
  });

  test('values are replaced, removed, and never bring back a run', async () => {
    expect(run.volatile !== undefined).toBe(stand.hasValues);
    if (run.volatile === undefined) return;
    await expect(run.volatile.write('reply', utf8('too early'))).rejects.toMatchObject({ type: 'Store.Unavailable' });
    await run.put(utf8('so that the run exists'), 'x/y');
    for (const said of ['one', 'one two']) await run.volatile.write('reply', utf8(said));
    expect(text(await elsewhere().volatile?.read('reply'))).toBe('one two');
    await run.volatile.remove('reply');
    expect(await run.volatile.read('reply')).toBeUndefined();
    await run.volatile.write('reply', utf8('again'));
    await store.deleteRun(run.runId);
    expect(await run.volatile.read('reply')).toBeUndefined();
    await expect(run.volatile.write('reply', utf8('too late'))).rejects.toMatchObject({ type: 'Store.Unavailable' });
    expect((await store.listRuns()).map(({ runId }) => runId)).not.toContain(run.runId);
  });

  describe('deleting a run', () => {
    test('removes all of it and nothing else, and lets it begin anew', async () => {
      const other = store.forRun(`other ${randomUUID()}`);
      const [ref] = await Promise.all([run, other].map((each) => each.put(utf8('shared'), 'x/y')));
      await run.put(Buffer.alloc(2 * mebibyte), 'x/y');
      await run.putIfAbsent('answer/1', utf8('old'));
      expect(await another.deleteRun(run.runId)).toBe(true);
      expect(await another.deleteRun(run.runId)).toBe(false);
      expect(await elsewhere().has(ref!)).toBe(false);
      expect(await elsewhere().find('answer/1')).toBeUndefined();
      expect(text(await another.forRun(other.runId).get(ref!, 'the test'))).toBe('shared');
      expect(text(await run.putIfAbsent('answer/1', utf8('new')))).toBe('new');
      await run.put(utf8('begun anew'), 'x/y');
      expect(await run.verify()).toEqual({ blobs: 1, damaged: [] });
    });

    test('keeps writers out until it is decided', async () => {
      await run.putIfAbsent('answer/1', utf8('old'));
      const deleted = await store.deleteRun(run.runId, async () => {
        const failed = { type: 'Store.Unavailable', message: expect.stringContaining('is deleting') as unknown };
        // An object of its own: what one has looked at may be a second old.
        const fresh = await stand.open();
        await expect(fresh.forRun(run.runId).put(utf8('new'), 'x/y')).rejects.toMatchObject(failed);
        await expect(fresh.forRun(run.runId).putIfAbsent('answer/2', utf8('new'))).rejects.toMatchObject(failed);
        expect(await fresh.deleteRun(run.runId, () => Promise.resolve(true))).toBe(false);
        await fresh.close?.();
        return true;
      });
      expect(deleted).toBe(true);
      expect(await elsewhere().find('answer/1')).toBeUndefined();
    });

    test.each([
      ['is refused', () => Promise.resolve(false)],
      ['fails', () => Promise.reject(new Error('no answer'))],
    ])('keeps everything when it %s', async (_, confirm) => {
      await run.putIfAbsent('answer/1', utf8('old'));
      expect(await another.deleteRun(run.runId, confirm).catch(() => false)).toBe(false);
      expect(text(await run.find('answer/1'))).toBe('old');
      await (await stand.open()).forRun(run.runId).put(utf8('new'), 'x/y');
    });

    test('beside writers leaves either a whole record or none', async () => {
      await run.putIfAbsent('answer/0', utf8('old'));
      const writing = Promise.allSettled(
        Array.from({ length: 30 }, (_, n) => elsewhere().putIfAbsent(`answer/${n}`, utf8(`new ${n}`))),
      );
      await store.deleteRun(run.runId);
      const written = await writing;
      for (const entry of await collect(elsewhere().entries('answer'))) expect(text(entry.bytes)).toMatch(/^new \d+$/);
      for (const result of written)
        if (result.status === 'rejected') expect(result.reason).toMatchObject({ type: 'Store.Unavailable' });
    });
  });

  describe('the list of runs', () => {
    test('has their sizes and ages, and unusual ids', async () => {
      const ids = ['run/2024', '..', 'ünïcödé 走る', 'Case', 'case', 'a\u0000b', 'x'.repeat(3000)].map(
        (id) => id + randomUUID(),
      );
      const before = Date.now() - 5_000;
      for (const id of ids) await store.forRun(id).put(Buffer.alloc(1000), 'x/y');
      const listed = new Map((await another.listRuns()).map((each) => [each.runId, each]));
      for (const id of ids) {
        expect(listed.get(id)).toMatchObject({
          bytes: expect.any(Number) as number,
          files: expect.any(Number) as number,
        });
        expect(listed.get(id)?.bytes).toBeGreaterThanOrEqual(1000);
        expect(listed.get(id)?.lastWrittenAt).toBeGreaterThan(before);
      }
    });

    test('has 10,000 runs', async () => {
      const ids = Array.from({ length: 10_000 }, (_, n) => `listed-${n}`);
      await stand.fill(ids);
      const listed = new Set((await store.listRuns()).map(({ runId }) => runId));
      expect(ids.filter((id) => !listed.has(id))).toEqual([]);
    });
  });

  test('it keeps its id, and can be checked before something is paid for', async () => {
    expect(another.id).toBe(store.id);
    await store.checkWritable();
    await another.checkWritable();
  });
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}
