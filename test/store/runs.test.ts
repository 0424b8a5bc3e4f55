import * as fc from 'fast-check';
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Store } from '../../domain/store';
import { openFileStore } from '../../store/file/open-file-store';
import { runIdOfName, runName } from '../../store/run-name';
import { findRunPlace, recordRunPlace } from '../../store/run-place';
import { filesIn, newFolder, text, utf8 } from './support/folders';
import { runChild } from './support/processes';

const oddIds = [
  'run/2024',
  '..',
  '.',
  '../../etc/passwd',
  'with spaces ',
  'ünïcödé 走る 🏃',
  'Case',
  'case',
  'CASE',
  '%41',
  'a\u0000b',
  'x'.repeat(3000),
  'X'.repeat(3000),
  `${'x'.repeat(2999)}y`,
  'é'.normalize('NFC'),
  'é'.normalize('NFD'),
];

test('runs with unusual ids are kept apart, listed by their ids, and stay inside the store', async () => {
  const root = join(await newFolder(), 'store');
  const store = await openFileStore(root);
  for (const id of oddIds) await store.forRun(id).putIfAbsent('who', utf8(id));
  for (const id of oddIds) expect(text(await store.forRun(id).find('who'))).toBe(id);
  expect((await store.listRuns()).map(({ runId }) => runId).sort()).toEqual([...oddIds].sort());
  const names = await readdir(join(root, 'runs'));
  expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(oddIds.length);
  expect(await readdir(join(root, '..'))).toEqual(['store']);
});

test('the folder name of any id is short plain ASCII, unique, and can be converted back', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 200 }), (id) => {
      const name = runName(id);
      expect(name).toMatch(/^[a-z0-9_%~-]{1,160}$/);
      if (!name.includes('~')) expect(runIdOfName(name)).toBe(id);
    }),
  );
});

test('an id that is empty or not valid Unicode is refused', async () => {
  const store = await openFileStore(await newFolder());
  for (const id of ['', 'half \ud800']) expect(() => store.forRun(id)).toThrow(/runId/);
});

test('a run is listed with its size', async () => {
  const root = await newFolder();
  const store = await openFileStore(root);
  const before = Date.now() - 2000;
  await store.forRun('r1').put(Buffer.alloc(1000), 'x/y');
  await store.forRun('r1').put(Buffer.alloc(500), 'x/y');
  await store.forRun('r2').put(Buffer.alloc(10), 'x/y');
  await writeFile(join(root, 'runs/r1/tmp/left.tmp'), 'not counted');
  await mkdir(join(root, 'runs/Not Ours'));
  await writeFile(join(root, 'runs/file'), '');
  const runs = [...(await store.listRuns())].sort((a, b) => (a.runId < b.runId ? -1 : 1));
  expect(runs).toMatchObject([
    { runId: 'r1', bytes: 1500, files: 2 },
    { runId: 'r2', bytes: 10, files: 1 },
  ]);
  for (const { lastWrittenAt } of runs) {
    expect(lastWrittenAt).toBeGreaterThan(before);
    expect(lastWrittenAt).toBeLessThan(Date.now() + 2000);
  }
});

test('deleting a run removes all of it and nothing else', async () => {
  const root = await newFolder();
  const store = await openFileStore(root);
  const ref = await store.forRun('r1').put(utf8('shared'), 'text/plain');
  await store.forRun('r2').put(utf8('shared'), 'text/plain');
  await store.forRun('r1').putIfAbsent('key', utf8('x'));
  await store.deleteRun('r1');
  await store.deleteRun('r1');
  await store.deleteRun('never there');
  expect((await filesIn(root)).filter((file) => !file.startsWith('runs/r2/'))).toEqual(['store.json']);
  expect(await store.forRun('r1').has(ref)).toBe(false);
  expect(text(await store.forRun('r2').get(ref, 'the test'))).toBe('shared');
  await store.forRun('r1').put(utf8('begun again'), 'text/plain');
  expect((await store.listRuns()).map(({ runId }) => runId).sort()).toEqual(['r1', 'r2']);
});

describe('deleting a run that has to be confirmed', () => {
  const fresh = async (): Promise<{ root: string; store: Store }> => {
    const root = await newFolder();
    const store = await openFileStore(root);
    await store.forRun('r1').put(utf8('old'), 'text/plain');
    return { root, store };
  };

  test('nothing can be written until it is decided, and afterwards the run begins anew', async () => {
    const { root, store } = await fresh();
    const other = await openFileStore(root);
    const deleted = await store.deleteRun('r1', async () => {
      const failed = { type: 'Store.Unavailable', message: expect.stringContaining('is deleting') as unknown };
      await expect(other.forRun('r1').put(utf8('new'), 'text/plain')).rejects.toMatchObject(failed);
      await expect(other.forRun('r1').putIfAbsent('key', utf8('new'))).rejects.toMatchObject(failed);
      expect(await other.deleteRun('r1', () => Promise.resolve(true))).toBe(false);
      return true;
    });
    expect(deleted).toBe(true);
    await other.forRun('r1').put(utf8('new'), 'text/plain');
    expect(await store.listRuns()).toMatchObject([{ runId: 'r1', files: 1, bytes: 3 }]);
  });

  test.each([
    ['is refused', () => Promise.resolve(false)],
    ['fails', () => Promise.reject(new Error('no answer'))],
  ])('when it %s, everything is kept and the run can be written to', async (_, confirm) => {
    const { store } = await fresh();
    expect(await store.deleteRun('r1', confirm).catch(() => false)).toBe(false);
    await store.forRun('r1').put(utf8('new'), 'text/plain');
    expect(await store.listRuns()).toMatchObject([{ runId: 'r1', files: 2 }]);
  });

  test('a mark that a dead process left behind does not block the run for good', async () => {
    const { root, store } = await fresh();
    const mark = join(root, 'runs/r1/tmp/deletion.tmp');
    await writeFile(mark, '');
    await expect(store.forRun('r1').put(utf8('new'), 'text/plain')).rejects.toMatchObject({
      type: 'Store.Unavailable',
    });
    const longAgo = new Date(Date.now() - 11 * 60_000);
    await utimes(mark, longAgo, longAgo);
    await store.forRun('r1').put(utf8('new'), 'text/plain');
    expect(await store.deleteRun('r1', () => Promise.resolve(true))).toBe(true);
  });
});

test('a run records once where it runs, and a run with the same id elsewhere is rejected', async () => {
  const store = (await openFileStore(await newFolder())).forRun('r1');
  const here = { clusterId: 'c1', namespaceId: 'n1', namespace: 'default' };
  expect(await findRunPlace(store)).toBeUndefined();
  await recordRunPlace(store, here);
  await recordRunPlace(store, { ...here, namespace: 'renamed' });
  expect(await findRunPlace(store)).toEqual(here);
  for (const elsewhere of [{ clusterId: 'c2' }, { namespaceId: 'n2' }]) {
    await expect(recordRunPlace(store, { ...here, ...elsewhere })).rejects.toThrow(
      /^runId: the store already has data of a run "r1" that was started in namespace "default" \(n1\) of cluster c1/,
    );
  }
});

test('a process killed while deleting leaves no half-deleted run, and the rest is removed at the next start', async () => {
  const root = await newFolder();
  const store = await openFileStore(root);
  await store.forRun('r1').put(utf8('x'), 'text/plain');
  expect((await runChild('dieWhileDeleting', root)).signal).toBe('SIGKILL');
  expect(await store.listRuns()).toEqual([]);
  expect((await filesIn(root)).length).toBe(2);
  await openFileStore(root);
  expect(await filesIn(root)).toEqual(['store.json']);
});
