import { importFolder } from '../../../activities/workspace/import-folder';
import { openWorkspace } from '../../../activities/workspace/stored-workspace';
import { InvalidInputError } from '../../../domain/kernel';
import { NotInWorkspaceError, PathClashError } from '../../../domain/workspace';
import { foldChanges } from '../../../store/workspace/fold';
import { TreeCache } from '../../../store/workspace/trees';
import { MemoryRunStore } from '../support/memory-run-store';
import { changeOf, folderWith, texts } from './support';

const files = { 'README.md': 'read', 'src/a.ts': 'a', 'src/lib/b.ts': 'b', 'docs/c.md': 'c' };

async function mounted(): Promise<{ store: MemoryRunStore; root: Awaited<ReturnType<typeof importFolder>>['root'] }> {
  const store = new MemoryRunStore();
  return { store, root: (await importFolder(store, await folderWith(files))).root };
}

describe('a workspace', () => {
  test('lists a folder, optionally with everything below it, sorted', async () => {
    const { store, root } = await mounted();
    const view = openWorkspace(store, { root, changes: [] });
    expect((await view.list('', false)).map(({ path }) => path)).toEqual(['README.md', 'docs', 'src']);
    expect((await view.list('src', true)).map(({ path, kind }) => `${path} ${kind}`)).toEqual([
      'src/a.ts file',
      'src/lib folder',
      'src/lib/b.ts file',
    ]);
  });

  test('shows pending changes as if they were folded', async () => {
    const { store, root } = await mounted();
    const changes = [
      await changeOf(store, 'src/a.ts', 'changed', 'a'),
      await changeOf(store, 'src/new/deep/d.ts', 'd'),
      await changeOf(store, 'docs/c.md', null, 'c'),
    ];
    const expected = { 'README.md': 'read', 'src/a.ts': 'changed', 'src/lib/b.ts': 'b', 'src/new/deep/d.ts': 'd' };
    expect(await texts(store, root, changes)).toEqual(expected);
    const view = openWorkspace(store, { root, changes });
    expect(await view.stat('docs')).toBeUndefined();
    expect(await view.stat('src/new')).toEqual({ path: 'src/new', name: 'new', kind: 'folder' });
    expect(await texts(store, await foldChanges(store, root, changes))).toEqual(expected);
    expect(await texts(store, root)).toEqual(files);
  });

  test('explains why a path does not exist', async () => {
    const { store, root } = await mounted();
    const view = openWorkspace(store, { root, changes: [] });
    await expect(view.read('src')).rejects.toThrow(NotInWorkspaceError);
    await expect(view.read('none')).rejects.toThrow(NotInWorkspaceError);
    await expect(view.list('README.md', false)).rejects.toThrow(NotInWorkspaceError);
    expect(await view.resolve('README.md/x/y')).toMatchObject({
      path: 'README.md/x/y',
      blockedBy: { path: 'README.md' },
    });
    expect(await view.resolve('src/none/x')).toEqual({ path: 'src/none/x' });
  });

  test('finds names that differ only in their Unicode form, and prefers the exact one', async () => {
    const [composed, decomposed] = ['caf\u00e9.txt', 'cafe\u0301.txt'];
    const store = new MemoryRunStore();
    const { root } = await importFolder(store, await folderWith({ [`d/${decomposed}`]: 'old' }));
    const view = openWorkspace(store, { root, changes: [] });
    expect(await view.stat(`d/${composed}`)).toMatchObject({ path: `d/${decomposed}` });
    expect(await view.resolve('nai\u0308ve')).toEqual({ path: 'na\u00efve' });
    const both = openWorkspace(store, { root, changes: [await changeOf(store, `d/${composed}`, 'new')] });
    expect(await both.stat(`d/${composed}`)).toMatchObject({ path: `d/${composed}` });
    expect(await both.stat(`d/${decomposed}`)).toMatchObject({ path: `d/${decomposed}` });
  });

  test('reads a folder once, when it is given a cache', async () => {
    const { store, root } = await mounted();
    const cache = new TreeCache();
    await openWorkspace(store, { root, changes: [] }, cache).list('', true);
    store.reads.length = 0;
    await openWorkspace(store, { root, changes: [] }, cache).list('', true);
    expect(store.reads).toEqual([]);
  });

  test('reports a root that is not a tree as damaged', async () => {
    const store = new MemoryRunStore();
    const root = await store.put(Buffer.from('{"entries":[{"name":"../x"}]}'), 'application/json');
    await expect(openWorkspace(store, { root, changes: [] }).list('', true)).rejects.toMatchObject({
      type: 'Store.BlobCorrupt',
    });
  });
});

describe('folding changes', () => {
  test('rewrites only the folders above them', async () => {
    const { store, root } = await mounted();
    const change = await changeOf(store, 'src/lib/b.ts', 'new', 'b');
    store.reads.length = 0;
    const puts = store.puts;
    await foldChanges(store, root, [change]);
    expect(store.reads).toHaveLength(3);
    expect(store.puts - puts).toBe(3);
  });

  test('returns the same root as an import of the changed folder', async () => {
    const { store, root } = await mounted();
    const changes = [await changeOf(store, 'src/lib/b.ts', null, 'b'), await changeOf(store, 'x/y', 'z')];
    const same = await importFolder(
      store,
      await folderWith({ 'README.md': 'read', 'src/a.ts': 'a', 'docs/c.md': 'c', 'x/y': 'z' }),
    );
    expect(await foldChanges(store, root, changes)).toEqual(same.root);
  });

  test('without changes returns the same root', async () => {
    const { store, root } = await mounted();
    expect(await foldChanges(store, root, [])).toBe(root);
    expect(await foldChanges(store, root, [await changeOf(store, 'none/at/all', null)])).toEqual(root);
  });

  test('keeps the last of several changes of a file', async () => {
    const { store, root } = await mounted();
    const changes = [await changeOf(store, 'README.md', '1'), await changeOf(store, 'README.md', '2')];
    expect(await texts(store, await foldChanges(store, root, changes))).toMatchObject({ 'README.md': '2' });
  });

  test('can replace a folder whose files were all deleted by a file, and vice versa', async () => {
    const { store, root } = await mounted();
    const changes = [
      await changeOf(store, 'docs/c.md', null, 'c'),
      await changeOf(store, 'docs', 'a file now'),
      await changeOf(store, 'README.md', null, 'read'),
      await changeOf(store, 'README.md/part', 'a folder now'),
    ];
    const expected = { docs: 'a file now', 'README.md/part': 'a folder now', 'src/a.ts': 'a', 'src/lib/b.ts': 'b' };
    expect(await texts(store, await foldChanges(store, root, changes))).toEqual(expected);
  });

  test.each([
    ['a file where a folder is', 'src'],
    ['a file in a file', 'README.md/x'],
  ])('refuses %s', async (_, path) => {
    const { store, root } = await mounted();
    const failed = foldChanges(store, root, [await changeOf(store, path, 'x')]);
    await expect(failed).rejects.toThrow(PathClashError);
    await expect(failed).rejects.not.toBeInstanceOf(InvalidInputError);
  });
});
