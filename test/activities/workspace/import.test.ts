import { execFileSync } from 'node:child_process';
import { chmod, mkdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { importFolder } from '../../../activities/workspace/import-folder';
import { openWorkspace } from '../../../activities/workspace/stored-workspace';
import type { MountProgress } from '../../../domain/workspace';
import { sha256 } from '../../../store/blobs';
import { openFileStore } from '../../../store/file/open-file-store';
import { filesIn } from '../../store/support/folders';
import { MemoryRunStore } from '../../store/support/memory-run-store';
import { addFiles, everything, folderWith, newFolder, paths, texts } from '../../store/workspace/support';

describe('importing a folder', () => {
  test('imports every file, byte for byte, under one root', async () => {
    const files = { 'README.md': '# Hi\n', 'src/a.ts': 'a\r\n', 'src/deep/er/b.ts': 'ü\u{1F600}', 'empty.txt': '' };
    const store = new MemoryRunStore();
    const { root, ...report } = await importFolder(store, await folderWith(files));
    expect(await texts(store, root)).toEqual(files);
    expect(report).toMatchObject({ files: 4, bytes: 14, tooBig: 0 });
    expect(root).toMatchObject({ mediaType: 'application/vnd.baton.tree+json' });
  });

  test('has the same root for the same content, wherever and in whatever order it was written', async () => {
    const [a, b] = [await folderWith({ x: '1', 'd/y': '2' }), await folderWith({ 'd/y': '2', x: '1' })];
    const roots = [await importFolder(new MemoryRunStore(), a), await importFolder(new MemoryRunStore(), b)];
    expect(roots[0]?.root).toEqual(roots[1]?.root);
  });

  test('a second time writes no file again, and changes nothing in the store', async () => {
    const root = await newFolder();
    const store = (await openFileStore(root)).forRun('r1');
    const folder = await folderWith(
      Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`d${n % 7}/f${n}`, `content ${n}`])),
    );
    const first = await importFolder(store, folder);
    const before = await written(root);
    expect((await importFolder(store, folder)).root).toEqual(first.root);
    expect(await written(root)).toEqual(before);
  });

  test('after a change writes only that file and the folders above it', async () => {
    const store = new MemoryRunStore();
    const folder = await folderWith({ 'a/b/c.txt': '1', 'a/other/d.txt': '2', 'e.txt': '3' });
    const before = await importFolder(store, folder);
    const blobs = store.blobs.size;
    await writeFile(join(folder, 'a/b/c.txt'), 'changed');
    expect((await importFolder(store, folder)).root).not.toEqual(before.root);
    expect(store.blobs.size - blobs).toBe(4);
  });

  test('marks files as binary that contain NUL bytes or are not UTF-8', async () => {
    const store = new MemoryRunStore();
    const folder = await folderWith({
      'a.png': Buffer.from([137, 80, 0, 1]),
      'latin.txt': Buffer.from([0x66, 0xfc, 0x72]),
      b: 'text',
    });
    const entries = await everything(store, (await importFolder(store, folder)).root);
    expect(entries.map((entry) => [entry.path, 'binary' in entry])).toEqual([
      ['a.png', true],
      ['b', false],
      ['latin.txt', true],
    ]);
  });

  test('lists files that are too large, without their content', async () => {
    const store = new MemoryRunStore();
    const folder = await folderWith({ 'big.log': 'x'.repeat(101), 'small.log': 'x'.repeat(100) });
    const report = await importFolder(store, folder, { maxFileBytes: 100 });
    expect(report).toMatchObject({ files: 1, tooBig: 1 });
    const view = openWorkspace(store, { root: report.root, changes: [] });
    expect(await view.stat('big.log')).toMatchObject({ path: 'big.log', kind: 'unread', bytes: 101, reason: 'tooBig' });
    await expect(view.read('big.log')).rejects.toThrow('contents');
    expect(await view.read('small.log')).toHaveLength(100);
  });

  test('records which files are executable', async () => {
    const store = new MemoryRunStore();
    const folder = await folderWith({ 'run.sh': '#!/bin/sh\n', 'plain.sh': '' });
    await chmod(join(folder, 'run.sh'), 0o755);
    const entries = await everything(store, (await importFolder(store, folder)).root);
    expect(entries.map((entry) => 'executable' in entry)).toEqual([false, true]);
  });

  test('lists links but never follows them: neither outside, nor inside, nor in cycles', async () => {
    const outside = await folderWith({ 'secret.txt': 'top secret' });
    const folder = await folderWith({ 'inside.txt': 'in' });
    await symlink(join(outside, 'secret.txt'), join(folder, 'out.txt'));
    await symlink(outside, join(folder, 'outfolder'));
    await symlink('.', join(folder, 'loop'));
    await symlink('inside.txt', join(folder, 'in.txt'));
    const store = new MemoryRunStore();
    const entries = await everything(store, (await importFolder(store, folder)).root);
    expect(entries.map(({ path, kind }) => `${path} ${kind}`)).toEqual([
      'in.txt link',
      'inside.txt file',
      'loop link',
      'out.txt link',
      'outfolder link',
    ]);
    expect(store.blobs.has(sha256('top secret'))).toBe(false);
  });

  test('never mounts secrets, at whatever depth', async () => {
    const secret = 'TOKEN=1234';
    const folder = await folderWith({
      '.env': secret,
      'app/.env.local': secret,
      '.git/config': secret,
      'app/vendor/.git/config': secret,
      '.ssh/id_rsa': secret,
      'certs/tls.key': secret,
      kubeconfig: secret,
      'prod.env': secret,
      'env.bak': secret,
      '.config/gcloud/application_default_credentials.json': secret,
      '.config/gh/hosts.yml': secret,
      'rclone.conf': secret,
      'private.asc': secret,
      'web/wp-config.php': secret,
      'app/main.ts': 'ok',
      'app/credentials/.env.example': 'KEY=',
    });
    const store = new MemoryRunStore();
    const report = await importFolder(store, folder);
    expect(await paths(store, report.root)).toEqual(['app/credentials/.env.example', 'app/main.ts']);
    expect(report.leftOut.secret).toBe(14);
    expect(store.blobs.has(sha256(secret))).toBe(false);
  });

  test('mounts the secrets that were allowed, and no others', async () => {
    const folder = await folderWith({ '.env.local': 'A=', '.env': 'A=1', 'certs/ca.pem': 'c', 'certs/key.pem': 'k' });
    const store = new MemoryRunStore();
    const report = await importFolder(store, folder, { include: ['.env.local', 'certs/ca.pem'] });
    expect(await paths(store, report.root)).toEqual(['.env.local', 'certs/ca.pem']);
  });

  test('excludes entries without a usable name, and special files', async () => {
    const folder = await folderWith({ 'ok.txt': '', 'a\\b': '', 'line\nbreak': '' });
    await writeFile(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xff, 0xfe])]), 'x');
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    const store = new MemoryRunStore();
    const report = await importFolder(store, folder);
    expect(await paths(store, report.root)).toEqual(['ok.txt']);
    expect(report.leftOut).toMatchObject({ badName: 3, special: 1 });
  });

  test('omits empty folders', async () => {
    const folder = await folderWith({ 'a/x': '1' });
    await mkdir(join(folder, 'empty/nested'), { recursive: true });
    const store = new MemoryRunStore();
    expect((await everything(store, (await importFolder(store, folder)).root)).map(({ path }) => path)).toEqual([
      'a',
      'a/x',
    ]);
    expect(await everything(store, (await importFolder(store, await newFolder())).root)).toEqual([]);
  });

  test('refuses a folder with too many entries before reading any file', async () => {
    const store = new MemoryRunStore();
    const folder = await folderWith({ a: '1', b: '2', 'c/d': '3' });
    const failed = importFolder(store, folder, { maxEntries: 3 });
    await expect(failed).rejects.toMatchObject({ type: 'Input.Invalid' });
    await expect(failed).rejects.toThrow(/more than 3 files and folders.*\.gitignore.*BATON_WORKSPACE_MAX_ENTRIES/);
    expect(store.puts).toBe(0);
    expect((await importFolder(store, folder, { maxEntries: 4 })).files).toBe(3);
  });

  test('refuses a folder that is too large in total before reading any file', async () => {
    const store = new MemoryRunStore();
    const folder = await folderWith({ a: '12345', b: '67890' });
    await expect(importFolder(store, folder, { maxTotalBytes: 9 })).rejects.toThrow(
      /larger than 9 bytes in total.*BATON_WORKSPACE_MAX_BYTES/,
    );
    expect(store.puts).toBe(0);
  });

  test('says so when the folder does not exist', async () => {
    await expect(importFolder(new MemoryRunStore(), '/nowhere/at/all')).rejects.toThrow(
      /"\/nowhere\/at\/all" is not a folder on the machine of the worker.* at the same path/,
    );
    const folder = await folderWith({ file: '' });
    await expect(importFolder(new MemoryRunStore(), join(folder, 'file'))).rejects.toThrow('not a folder');
  });

  test('reports progress, and stops when aborted', async () => {
    const folder = await folderWith(Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`f${n}`, 'x'])));
    const store = new MemoryRunStore();
    const stop = new AbortController();
    const seen: number[] = [];
    const onProgress = ({ isListed, files, ofFiles, ofBytes }: MountProgress): void => {
      if (files === 0) return;
      expect({ isListed, ofFiles, ofBytes }).toEqual({ isListed: true, ofFiles: 100, ofBytes: 100 });
      seen.push(files);
      if (files === 20) stop.abort(new Error('enough'));
    };
    await expect(importFolder(store, folder, { onProgress, signal: stop.signal })).rejects.toThrow('enough');
    expect(seen.slice(0, 20)).toEqual(Array.from({ length: 20 }, (_, n) => n + 1));
    expect(seen.length).toBeLessThan(60);
    const puts = store.puts;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(store.puts).toBe(puts);
  });

  test('omits a file that is deleted during the import', async () => {
    const folder = await folderWith({ a: '1', b: '2' });
    const store = new MemoryRunStore();
    const put = store.put.bind(store);
    await addFiles(folder, { 'sub/z': '3' });
    store.put = async (bytes, mediaType) => {
      await rm(join(folder, 'sub/z'), { force: true });
      return put(bytes, mediaType);
    };
    const { root } = await importFolder(store, folder);
    expect((await paths(store, root)).slice(0, 2)).toEqual(['a', 'b']);
  });
});

async function written(root: string): Promise<Record<string, string>> {
  const found: [string, string][] = [];
  for (const path of await filesIn(root)) {
    const { ino, mtimeMs } = await stat(join(root, path));
    found.push([path, `${ino} ${mtimeMs}`]);
  }
  return Object.fromEntries(found);
}
