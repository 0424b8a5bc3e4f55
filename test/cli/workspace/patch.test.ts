import fc from 'fast-check';
import { execFileSync } from 'node:child_process';
import { chmod, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { importFolder } from '../../../activities/workspace/import-folder';
import { unifiedPatch } from '../../../cli/workspace/diff';
import { foldChanges } from '../../../store/workspace/fold';
import { MemoryRunStore } from '../../store/support/memory-run-store';
import { anyEdits, anyFiles, edit } from '../../store/workspace/model';
import { addFiles, changeOf, folderWith, newFolder, texts } from '../../store/workspace/support';

type Edits = Readonly<Record<string, string | null>>;

async function patched(
  files: Record<string, string | Uint8Array>,
  edits: Edits,
): Promise<{ folder: string; patch: string }> {
  const store = new MemoryRunStore();
  const folder = await folderWith(files);
  const { root } = await importFolder(store, folder);
  const changes = await Promise.all(Object.entries(edits).map(([path, text]) => changeOf(store, path, text)));
  return { folder, patch: await unifiedPatch(store, root, await foldChanges(store, root, changes)) };
}

function gitApply(folder: string, patch: string): void {
  execFileSync('git', ['apply', '--whitespace=nowarn', '-'], {
    cwd: folder,
    input: patch,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

describe('the patch of a run', () => {
  test('has the headers of git', async () => {
    const { patch } = await patched(
      { 'a.txt': 'one\ntwo\nthree\n', 'gone.txt': 'bye\n' },
      { 'a.txt': 'one\n2\nthree\n', 'gone.txt': null, 'new/file.txt': 'hi' },
    );
    expect(patch).toBe(
      [
        'diff --git a/a.txt b/a.txt',
        '--- a/a.txt',
        '+++ b/a.txt',
        '@@ -1,3 +1,3 @@',
        ' one',
        '-two',
        '+2',
        ' three',
        'diff --git a/gone.txt b/gone.txt',
        'deleted file mode 100644',
        '--- a/gone.txt',
        '+++ /dev/null',
        '@@ -1 +0,0 @@',
        '-bye',
        'diff --git a/new/file.txt b/new/file.txt',
        'new file mode 100644',
        '--- /dev/null',
        '+++ b/new/file.txt',
        '@@ -0,0 +1 @@',
        '+hi',
        '\\ No newline at end of file',
        '',
      ].join('\n'),
    );
  });

  test('only mentions binary files', async () => {
    const { patch } = await patched({ 'x.bin': Buffer.from([0, 1]) }, { 'x.bin': null });
    expect(patch).toBe(
      'diff --git a/x.bin b/x.bin\ndeleted file mode 100644\nBinary files a/x.bin and /dev/null differ\n',
    );
  });

  test('is empty when nothing changed', async () => {
    expect((await patched({ a: '1' }, { a: '1' })).patch).toBe('');
  });

  const awkward: [what: string, before: string | undefined, after: string | null][] = [
    ['a last line without a break that gets one', 'a\nb', 'a\nb\n'],
    ['a last line that loses its break', 'a\nb\n', 'a\nb'],
    ['Windows line breaks', 'a\r\nb\r\n', 'a\r\nc\r\n'],
    ['lone carriage returns and odd separators', 'a\rb\u2028c\u0085\n', 'a\rb\u2028d\u0085\n'],
    ['an empty file that is filled', '', 'x\n'],
    ['a file that is emptied', 'x\n', ''],
    ['a new empty file', undefined, ''],
    ['an empty file that is deleted', '', null],
    ['lines that look like headers', '--- a/x\n+++ b/x\n@@ -1 +1 @@\n', '--- a/y\n+++ b/x\n@@ -1 +1 @@\n-- \n'],
    ['a byte order mark', '\ufeffa\n', '\ufeffb\n'],
    ['only blanks', ' \n\t\n', '\n'],
    ['a file that is quite another', 'a\n'.repeat(3_000), 'b\nc\n'.repeat(3_000)],
  ];
  test.each(awkward)('is understood by git: %s', async (_, before, after) => {
    const { folder, patch } = await patched({ keep: '', ...(before === undefined ? {} : { f: before }) }, { f: after });
    gitApply(folder, patch);
    const found = await readFile(join(folder, 'f'), 'utf8').catch(() => null);
    expect(found).toBe(after);
  });

  test.each(['with blank.txt', 'quo"te.txt', 'ünï.txt', 'a/b c/d', '-x', "it's"])(
    'is understood by git for the name %s',
    async (name) => {
      const { folder, patch } = await patched({ [name]: 'old\n' }, { [name]: 'new\n', [`${name}2`]: 'x\n' });
      gitApply(folder, patch);
      expect(await readFile(join(folder, name), 'utf8')).toBe('new\n');
      expect(await readFile(join(folder, `${name}2`), 'utf8')).toBe('x\n');
    },
  );

  test('keeps executable files executable', async () => {
    const store = new MemoryRunStore();
    const folder = await folderWith({ 'run.sh': 'a\n', 'old.sh': 'b\n' });
    for (const name of ['run.sh', 'old.sh']) await chmod(join(folder, name), 0o755);
    const { root } = await importFolder(store, folder);
    const changes = [await changeOf(store, 'run.sh', 'c\n'), await changeOf(store, 'old.sh', null)];
    const patch = await unifiedPatch(store, root, await foldChanges(store, root, changes));
    expect(patch).toContain('deleted file mode 100755');
    gitApply(folder, patch);
    expect((await stat(join(folder, 'run.sh'))).mode & 0o111).not.toBe(0);
  });

  test('turns the mounted folder into the workspace of the run', async () => {
    await fc.assert(
      fc.asyncProperty(anyFiles, anyEdits, async (files, edits) => {
        const store = new MemoryRunStore();
        const folder = await newFolder();
        await addFiles(folder, Object.fromEntries(files));
        const { root } = await importFolder(store, folder);
        const { changes } = await edit(store, files, edits);
        const final = await foldChanges(store, root, changes);
        const patch = await unifiedPatch(store, root, final);
        if (patch !== '') gitApply(folder, patch);
        expect(await texts(store, (await importFolder(store, folder)).root)).toEqual(await texts(store, final));
      }),
      { numRuns: 40 },
    );
  });
});
