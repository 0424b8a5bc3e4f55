import { diffTrees } from '../../../store/workspace/diff';
import { foldChanges } from '../../../store/workspace/fold';
import { importFolder } from '../../../activities/workspace/import-folder';
import { MemoryRunStore } from '../../store/support/memory-run-store';
import { changeOf, folderWith } from '../../store/workspace/support';

describe('the difference between two roots', () => {
  test('lists created, changed and deleted files, sorted by path', async () => {
    const store = new MemoryRunStore();
    const { root } = await importFolder(store, await folderWith({ 'a/1': 'x', 'a/2': 'y', 'b/3': 'z', same: '' }));
    const after = await foldChanges(store, root, [
      await changeOf(store, 'a/1', 'X', 'x'),
      await changeOf(store, 'b/3', null, 'z'),
      await changeOf(store, 'c/4', 'new'),
    ]);
    const found = await diffTrees(store, root, after);
    expect(found.map(({ path, before, after: now }) => [path, before !== undefined, now !== undefined])).toEqual([
      ['a/1', true, true],
      ['b/3', true, false],
      ['c/4', false, true],
    ]);
    expect(await diffTrees(store, root, root)).toEqual([]);
  });

  test('is found without reading folders that are equal', async () => {
    const store = new MemoryRunStore();
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`d${n}/deep/file`, String(n)]));
    const { root } = await importFolder(store, await folderWith(many));
    const after = await foldChanges(store, root, [await changeOf(store, 'd7/deep/file', 'changed', '7')]);
    store.reads.length = 0;
    expect(await diffTrees(store, root, after)).toHaveLength(1);
    expect(store.reads).toHaveLength(6);
  });

  test('shows a file that became a folder as one deletion and its new files', async () => {
    const store = new MemoryRunStore();
    const { root } = await importFolder(store, await folderWith({ a: 'x' }));
    const after = await foldChanges(store, root, [
      await changeOf(store, 'a', null, 'x'),
      await changeOf(store, 'a/b', 'y'),
    ]);
    expect((await diffTrees(store, root, after)).map(({ path }) => path)).toEqual(['a', 'a/b']);
    expect((await diffTrees(store, after, root)).map(({ path }) => path)).toEqual(['a', 'a/b']);
  });
});
