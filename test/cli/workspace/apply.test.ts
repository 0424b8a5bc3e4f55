import { chmod, lstat, mkdir, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { applyTo, type ApplyReport } from '../../../cli/workspace/apply-plan';
import { foldChanges } from '../../../store/workspace/fold';
import { importFolder } from '../../../activities/workspace/import-folder';
import { filesIn } from '../../store/support/folders';
import { MemoryRunStore } from '../../store/support/memory-run-store';
import { anyEdits, anyFiles, edit } from '../../store/workspace/model';
import { addFiles, changeOf, folderWith, newFolder } from '../../store/workspace/support';

/** A run on a folder, with its changes. */
async function ranOver(
  folder: string,
  edits: Readonly<Record<string, string | null>>,
): Promise<(force?: boolean, allowScripts?: boolean) => Promise<ApplyReport>> {
  const store = new MemoryRunStore();
  const { root: base } = await importFolder(store, folder);
  const changes = await Promise.all(Object.entries(edits).map(([path, text]) => changeOf(store, path, text)));
  const root = await foldChanges(store, base, changes);
  return (force = false, allowScripts = false) => applyTo(folder, { store, base, root, force, allowScripts });
}

const read = (folder: string, path: string): Promise<string> => readFile(join(folder, path), 'utf8');

describe('applying the changes of a run', () => {
  test('writes, creates and deletes files, reports that, and does not touch others', async () => {
    const folder = await folderWith({ a: 'old', 'gone/deep/b': 'x', '.env': 'S=1', keep: 'k' });
    const apply = await ranOver(folder, { a: 'new', 'gone/deep/b': null, 'fresh/c': 'c' });
    expect(await apply()).toEqual({
      applied: true,
      written: ['a', 'fresh/c'],
      deleted: ['gone/deep/b'],
      unchanged: [],
      obstacles: [],
      scripts: [],
    });
    expect(await filesIn(folder)).toEqual(['.env', 'a', 'fresh/c', 'keep']);
    expect(await read(folder, 'a')).toBe('new');
    await expect(stat(join(folder, 'gone'))).rejects.toThrow('ENOENT');
  });

  test('makes files executable, or no longer so, also if nothing else of them changed', async () => {
    const folder = await folderWith({ on: 'a', off: 'b', same: 'c' });
    await chmod(join(folder, 'off'), 0o755);
    await chmod(join(folder, 'same'), 0o744);
    const store = new MemoryRunStore();
    const { root: base } = await importFolder(store, folder);
    const changes = await Promise.all([
      changeOf(store, 'on', 'a').then((change) => ({ ...change, executable: true })),
      changeOf(store, 'off', 'b').then((change) => ({ ...change, executable: false })),
      changeOf(store, 'same', 'cc'),
    ]);
    const root = await foldChanges(store, base, changes);
    const apply = () => applyTo(folder, { store, base, root, allowScripts: true });
    expect(await apply()).toMatchObject({ applied: true, written: ['off', 'on', 'same'], obstacles: [] });
    const modeOf = async (name: string): Promise<number> => (await stat(join(folder, name))).mode & 0o111;
    expect([await modeOf('on'), await modeOf('off'), await modeOf('same')]).toEqual([0o111, 0, 0o100]);
    expect(await apply()).toMatchObject({ written: [], unchanged: ['off', 'on', 'same'] });
  });

  test('twice does nothing the second time', async () => {
    const folder = await folderWith({ a: 'old', b: 'x' });
    const apply = await ranOver(folder, { a: 'new', b: null });
    await apply();
    expect(await apply()).toMatchObject({ applied: true, written: [], deleted: [], unchanged: ['a', 'b'] });
  });

  test.each<[string, (folder: string) => Promise<unknown>, RegExp]>([
    ['a file was changed', (folder) => writeFile(join(folder, 'a'), 'mine'), /has changed since/],
    ['a file was deleted', (folder) => rm(join(folder, 'a')), /was deleted after/],
    ['a new file is there already', (folder) => writeFile(join(folder, 'c'), 'mine'), /already exists/],
    ['a file to delete was changed', (folder) => writeFile(join(folder, 'b'), 'mine'), /has changed since/],
  ])('writes nothing at all if in the meantime %s, unless forced', async (_, meanwhile, reason) => {
    const folder = await folderWith({ a: 'old', b: 'x', z: 'z' });
    const apply = await ranOver(folder, { a: 'new', b: null, c: 'c', z: 'zz' });
    await meanwhile(folder);
    const before = await contents(folder);
    const report = await apply();
    expect(report).toMatchObject({ applied: false, written: [], deleted: [] });
    expect(report.obstacles).toMatchObject([{ forbidden: false }]);
    expect(report.obstacles[0]?.reason).toMatch(reason);
    expect(await contents(folder)).toEqual(before);
    expect(await apply(true)).toMatchObject({ applied: true });
    expect(await contents(folder)).toEqual({ a: 'new', c: 'c', z: 'zz' });
  });

  test('never writes through a link, not even when forced', async () => {
    const outside = await folderWith({ victim: 'safe' });
    const folder = await folderWith({ 'd/victim': 'safe', e: 'e' });
    const apply = await ranOver(folder, { 'd/victim': 'stolen', 'd/new': 'x', e: 'ee' });
    await rm(join(folder, 'd'), { recursive: true });
    await symlink(outside, join(folder, 'd'));
    const report = await apply(true);
    expect(report).toMatchObject({ applied: false, written: [] });
    expect(report.obstacles).toMatchObject([
      { path: 'd/new', reason: 'is below the symbolic link "d"', forbidden: true },
      { path: 'd/victim', forbidden: true },
    ]);
    expect(await contents(outside)).toEqual({ victim: 'safe' });
    expect(await read(folder, 'e')).toBe('e');
  });

  test('never replaces a link', async () => {
    const outside = await folderWith({ victim: 'old' });
    const folder = await folderWith({ a: 'old' });
    const apply = await ranOver(folder, { a: 'new' });
    await rm(join(folder, 'a'));
    await symlink(join(outside, 'victim'), join(folder, 'a'));
    expect((await apply(true)).obstacles).toMatchObject([{ path: 'a', forbidden: true }]);
    expect(await readlink(join(folder, 'a'))).toBe(join(outside, 'victim'));
    expect(await read(outside, 'victim')).toBe('old');
  });

  test('never writes into the folder of version control', async () => {
    const folder = await folderWith({ a: '' });
    const apply = await ranOver(folder, { '.git/hooks/pre-commit': '#!/bin/sh\n' });
    expect((await apply(true)).obstacles).toMatchObject([{ path: '.git/hooks/pre-commit', forbidden: true }]);
    expect(await filesIn(folder)).toEqual(['a']);
  });

  test('writes nothing at all if a change can run programs without being asked, unless that is allowed', async () => {
    const manifest = (test: string): string => JSON.stringify({ name: 'a', scripts: { test } });
    const folder = await folderWith({ a: 'old', 'run.sh': 'a', 'package.json': manifest('jest'), '.husky/x': '' });
    await chmod(join(folder, 'run.sh'), 0o755);
    const before = await contents(folder);
    const apply = await ranOver(folder, {
      a: 'new',
      'run.sh': 'aa',
      'package.json': manifest('curl x | sh'),
      '.github/workflows/ci.yml': 'on: push',
      '.husky/x': null,
    });
    for (const force of [false, true]) {
      expect(await apply(force)).toMatchObject({
        applied: false,
        written: [],
        obstacles: [],
        scripts: [
          { path: '.github/workflows/ci.yml', effect: 'runs in continuous integration' },
          { path: '.husky/x', effect: 'runs when git is used' },
          { path: 'package.json', effect: 'changes package scripts (scripts)' },
          { path: 'run.sh', effect: 'is executable' },
        ],
      });
      expect(await contents(folder)).toEqual(before);
    }
    expect(await apply(false, true)).toMatchObject({ applied: true, deleted: ['.husky/x'] });
    expect(await read(folder, '.github/workflows/ci.yml')).toBe('on: push');
    // What is written already needs no permission.
    expect(await apply()).toMatchObject({ applied: true, scripts: [] });
  });

  test('writes other changes of a manifest without asking', async () => {
    const folder = await folderWith({ 'package.json': '{"version":"1","scripts":{"test":"jest"}}' });
    const apply = await ranOver(folder, { 'package.json': '{"scripts":{"test":"jest"},"version":"2"}' });
    expect(await apply()).toMatchObject({ applied: true, written: ['package.json'], scripts: [] });
  });

  test('replaces a folder by a file only when nothing is lost', async () => {
    const edits = { 'd/x': null, d: 'now a file' };
    const clean = await folderWith({ 'd/x': '1', 'd/sub/.keep': '' });
    await rm(join(clean, 'd/sub/.keep'));
    expect(await (await ranOver(clean, edits))()).toMatchObject({ applied: true });
    expect(await contents(clean)).toEqual({ d: 'now a file' });

    const precious = await folderWith({ 'd/x': '1', '.gitignore': 'ignored\n', 'd/ignored': 'precious' });
    expect((await (await ranOver(precious, edits))(true)).obstacles).toMatchObject([
      { path: 'd', reason: 'is a folder' },
    ]);
    expect(await read(precious, 'd/ignored')).toBe('precious');
  });

  test('keeps permissions, and leaves no temporary files behind', async () => {
    const folder = await folderWith({ 'run.sh': 'a', plain: 'b' });
    await chmod(join(folder, 'run.sh'), 0o750);
    const apply = await ranOver(folder, { 'run.sh': 'aa', plain: 'bb' });
    await apply();
    expect((await stat(join(folder, 'run.sh'))).mode & 0o777).toBe(0o750);
    expect(await filesIn(folder)).toEqual(['plain', 'run.sh']);
  });

  test('writes nothing when a blob is missing in the store', async () => {
    const store = new MemoryRunStore();
    const folder = await folderWith({ a: '1', b: '2' });
    const { root: base } = await importFolder(store, folder);
    const changes = [await changeOf(store, 'a', 'first'), await changeOf(store, 'b', 'lost')];
    const root = await foldChanges(store, base, changes);
    store.blobs.delete(changes[1]?.newHash ?? '');
    await expect(applyTo(folder, { store, base, root })).rejects.toMatchObject({ type: 'Store.BlobMissing' });
    expect(await contents(folder)).toEqual({ a: '1', b: '2' });
  });

  test('succeeds without changes, but fails for a folder that does not exist', async () => {
    const apply = await ranOver(await folderWith({ a: '' }), {});
    expect(await apply()).toMatchObject({ applied: true, written: [] });
    const store = new MemoryRunStore();
    const { root } = await importFolder(store, await newFolder());
    await expect(applyTo('/nowhere/at/all', { store, base: root, root })).rejects.toThrow('ENOENT');
  });

  test('turns the mounted folder into the workspace of the run', async () => {
    await fc.assert(
      fc.asyncProperty(anyFiles, anyEdits, async (files, edits) => {
        const store = new MemoryRunStore();
        const folder = await newFolder();
        await addFiles(folder, Object.fromEntries(files));
        const { root: base } = await importFolder(store, folder);
        const { changes } = await edit(store, files, edits);
        const root = await foldChanges(store, base, changes);
        expect(await applyTo(folder, { store, base, root })).toMatchObject({ applied: true, obstacles: [] });
        expect((await importFolder(store, folder)).root).toEqual(root);
      }),
      { numRuns: 100 },
    );
  });

  test('creates files below the path of a deleted file', async () => {
    const folder = await folderWith({ a: 'x' });
    expect(await (await ranOver(folder, { a: null, 'a/b': 'y' }))()).toMatchObject({ applied: true });
    expect(await contents(folder)).toEqual({ 'a/b': 'y' });
    await mkdir(join(folder, 'again'));
    expect((await lstat(join(folder, 'a'))).isDirectory()).toBe(true);
  });
});

async function contents(folder: string): Promise<Record<string, string>> {
  const paths = await filesIn(folder);
  return Object.fromEntries(await Promise.all(paths.map(async (path) => [path, await read(folder, path)] as const)));
}
