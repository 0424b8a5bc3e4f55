import type { Client } from '@temporalio/client';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mediaTypes, type Store } from '../../domain/store';
import { KeyRing } from '../../encryption/key-ring';
import { copyRun } from '../../store/copy-run';
import { openFileStore } from '../../store/file/open-file-store';
import { assertHoldsRun, recordMove } from '../../store/run-moves';
import { batonInProcess } from '../cli/support/in-process';
import { blobFile } from './support/folders';

let folder: string;
let one: Store;
let other: Store;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'baton-moves-'));
  [one, other] = await Promise.all([open('one'), open('other')]);
  await one.forRun('r1').put(Buffer.from('a prompt'), mediaTypes.text);
  await one.forRun('r1').putIfAbsent('call/1', Buffer.from('an answer'));
});
afterEach(() => rm(folder, { recursive: true }));

const open = (name: string, keys?: KeyRing): Promise<Store> =>
  openFileStore(join(folder, name), keys === undefined ? {} : { encryption: keys });
const copy = (from: Store, to: Store): ReturnType<typeof copyRun> => copyRun(from.forRun('r1'), to.forRun('r1'));
const move = (from: Store, to: Store): Promise<void> => recordMove(from.forRun('r1'), { from: from.id, to: to.id });
/** Whether a run that was started with the first store continues in each of them. */
const continues = (): Promise<boolean[]> =>
  Promise.all(
    [one, other].map((store) =>
      assertHoldsRun(store, { runId: 'r1', storeId: one.id }).then(
        () => true,
        (error: unknown) => {
          expect(error).toMatchObject({ type: 'Store.Other' });
          return false;
        },
      ),
    ),
  );

test('a copy is not where a run continues, unless it was moved; then it is only there', async () => {
  await copy(one, other);
  expect(await continues()).toEqual([true, false]);
  await move(one, other);
  expect(await continues()).toEqual([false, false]);
  await copy(one, other);
  expect(await continues()).toEqual([false, true]);
  // Both are repeated without effect.
  await move(one, other);
  expect(await copy(one, other)).toMatchObject({ blobs: 1, entries: 2 });
  expect(await continues()).toEqual([false, true]);
});

test('a run can come back', async () => {
  await move(one, other);
  await copy(one, other);
  await other.forRun('r1').putIfAbsent('call/2', Buffer.from('a later answer'));
  await move(other, one);
  await copy(other, one);
  expect(await continues()).toEqual([true, false]);
  expect(Buffer.from((await one.forRun('r1').find('call/2')) ?? []).toString()).toBe('a later answer');
});

test('a run that was moved to one store is not moved to another as well', async () => {
  const third = await open('third');
  await move(one, other);
  await expect(move(one, third)).rejects.toThrow(`Move it from the store with the id ${other.id}.`);
});

test('with keys, what was plain is encrypted by the copy, and can be read at both places', async () => {
  const keys = new KeyRing([{ id: '2026-11', bytes: randomBytes(32) }]);
  const [from, to] = [await open('one', keys), await open('other', keys)];
  const ref = await from.forRun('r1').put(Buffer.from('another prompt'), mediaTypes.text);
  await copy(from, to);
  expect(Buffer.from(await to.forRun('r1').get(ref, 'test')).toString()).toBe('another prompt');
  await expect(other.forRun('r1').find('call/1')).resolves.toBeUndefined();
  await expect(other.forRun('r1').get(ref, 'test')).rejects.toMatchObject({ type: 'Encryption.KeyMissing' });
});

test.each([[[]], [['--move']]])(
  'a run that is damaged is named and left where it is; the others are copied %j',
  async (options) => {
    const root = join(folder, 'one');
    const good = await one.forRun('r2').put(Buffer.from('whole'), mediaTypes.text);
    const bad = await one.forRun('r1').put(Buffer.from('soon damaged'), mediaTypes.text);
    await writeFile(blobFile(root, 'r1', bad), 'something else');
    const copyAll = ['store', 'copy', `file:${root}`, `file:${join(folder, 'other')}`, '--json', ...options];
    const printed = await batonInProcess({ client: {} as Client, folder, env: {} }, copyAll);
    expect(printed.stderr).toContain('1 run could not be copied because of damaged data: r1.');
    expect(printed.exitCode).toBe(1);
    const damaged = { runId: 'r1', message: expect.stringContaining(`Blob ${bad.hash} of run "r1"`) as string };
    expect(JSON.parse(printed.stdout)).toMatchObject({ runs: [{ runId: 'r2', blobs: 1 }], damaged: [damaged] });
    expect(Buffer.from(await other.forRun('r2').get(good, 'the test')).toString()).toBe('whole');
    expect(await continues()).toEqual([true, false]);
  },
);
