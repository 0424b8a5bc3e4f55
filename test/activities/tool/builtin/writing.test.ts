import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { readFileTool } from '../../../../activities/tool/builtin/read-tools';
import { editFileTool, writeFileTool } from '../../../../activities/tool/builtin/write-tools';
import { sha256 } from '../../../../store/blobs';
import { folderWith } from '../../../store/workspace/support';
import { ToolRunner } from './support';

describe('write_file', () => {
  test('creates a file and its parent folders', async () => {
    const runner = await ToolRunner.with({});
    const { message, changes } = await runner.run(writeFileTool, { path: 'a/b/c.txt', content: 'hello\n' });
    expect(message).toBe('Created "a/b/c.txt" (6 bytes).');
    expect(changes).toEqual([{ path: 'a/b/c.txt', expectedHash: null, newHash: sha256('hello\n'), bytes: 6 }]);
    expect(await runner.say(readFileTool, { path: 'a/b/c.txt' })).toBe('hello\n');
    await runner.fold();
    expect(await runner.say(readFileTool, { path: 'a/b/c.txt' })).toBe('hello\n');
  });

  test('replaces a file, and records which version it saw', async () => {
    const runner = await ToolRunner.with({ a: 'old' });
    const { message, changes } = await runner.run(writeFileTool, { path: 'a', content: 'new' });
    expect(message).toBe('Replaced "a" (3 bytes).');
    expect(changes).toEqual([{ path: 'a', expectedHash: sha256('old'), newHash: sha256('new'), bytes: 3 }]);
    const again = await runner.run(writeFileTool, { path: 'a', content: 'newer' });
    expect(again.changes).toMatchObject([{ expectedHash: sha256('new') }]);
  });

  test('does not change the workspace itself; the returned change does, once it is applied', async () => {
    const runner = await ToolRunner.with({ a: 'old' });
    await writeFileTool.run({ path: 'a', content: 'new' }, runner.context);
    expect(await runner.say(readFileTool, { path: 'a' })).toBe('old');
  });

  test('returns the same change when it is repeated after a crash', async () => {
    const runner = await ToolRunner.with({ a: 'old' });
    const call = { path: 'a', content: 'new' };
    expect(await writeFileTool.run(call, runner.context)).toEqual(await writeFileTool.run(call, runner.context));
  });

  test('does nothing when the file already has that content', async () => {
    const runner = await ToolRunner.with({ a: 'same' });
    expect(await runner.run(writeFileTool, { path: 'a', content: 'same' })).toEqual({
      message: '"a" already has this content.',
    });
  });

  test('writes to the existing file, whichever Unicode form of its name is used', async () => {
    const runner = await ToolRunner.with({ 'cafe\u0301.txt': 'old' });
    const { changes } = await runner.run(writeFileTool, { path: 'caf\u00e9.txt', content: 'new' });
    expect(changes).toMatchObject([{ path: 'cafe\u0301.txt', expectedHash: sha256('old') }]);
  });

  test('is refused where a file is impossible or not allowed', async () => {
    const folder = await folderWith({ 'd/x': '', file: '', big: 'x'.repeat(50) });
    await symlink('/etc', join(folder, 'link'));
    const runner = await ToolRunner.over(folder, { maxFileBytes: 20 });
    const write = (path: string): Promise<string> => runner.refusal(writeFileTool, { path, content: 'x' });
    expect(await write('d')).toMatch(/is a folder/);
    expect(await write('file/x')).toMatch(/"file" is not a folder/);
    expect(await write('link')).toMatch(/is a link/);
    expect(await write('link/passwd')).toMatch(/"link" is not a folder/);
    expect(await write('big')).toMatch(/not imported/);
    expect(await write('.env')).toMatch(/may contain secrets/);
    expect(await write('.git/hooks/pre-commit')).toMatch(/version control/);
    for (const path of ['.GIT/config', '.git./hooks/x', 'GIT~1/hooks/x'])
      expect(await write(path)).toMatch(/version control/);
    for (const path of ['kubeconfig', 'prod.env', 'web/wp-config.php'])
      expect(await write(path)).toMatch(/may contain secrets/);
    expect(await write(Array.from({ length: 20 }, () => 'x'.repeat(60)).join('/'))).toMatch(/longer than 1000/);
    expect(runner.changes).toEqual([]);
  });

  test('writes an excluded file that the user has explicitly mounted', async () => {
    const runner = await ToolRunner.with({ '.env.local': 'A=\n' }, { include: ['.env.local'] });
    expect(await runner.say(writeFileTool, { path: '.env.local', content: 'A=1\n' })).toMatch(/Replaced/);
  });

  test('takes only text', async () => {
    const runner = await ToolRunner.with({});
    expect(await runner.refusal(writeFileTool, { path: 'a', content: 'a\0b' })).toMatch(/NUL/);
    expect(await runner.refusal(writeFileTool, { path: 'a', content: 'a\ud800' })).toMatch(/surrogate/);
    expect(await runner.refusal(writeFileTool, { path: 'a', content: 'x'.repeat(10 * 1024 * 1024 + 1) })).toMatch(
      /the limit is/,
    );
  });
});

describe('edit_file', () => {
  const edit = (old_text: string, new_text: string, more = {}): Record<string, string | boolean> => ({
    path: 'a',
    old_text,
    new_text,
    ...more,
  });

  test('replaces the only occurrence', async () => {
    const runner = await ToolRunner.with({ a: 'let x = 1;\nlet y = 2;\n' });
    expect(await runner.say(editFileTool, edit('x = 1', 'x = 10'))).toBe('Changed "a" in one place (now 23 bytes).');
    expect(await runner.say(readFileTool, { path: 'a' })).toBe('let x = 10;\nlet y = 2;\n');
    expect(runner.changes).toMatchObject([{ path: 'a', expectedHash: sha256('let x = 1;\nlet y = 2;\n') }]);
  });

  test('treats both texts literally', async () => {
    const runner = await ToolRunner.with({ a: 'a.*b $1' });
    await runner.say(editFileTool, edit('.*', '$& $1 $$'));
    expect(await runner.say(readFileTool, { path: 'a' })).toBe('a$& $1 $$b $1');
  });

  test('says how often the text occurs when it is not unique, and changes nothing', async () => {
    const runner = await ToolRunner.with({ a: 'x x x' });
    expect(await runner.refusal(editFileTool, edit('x', 'y'))).toBe(
      'old_text occurs 3 times in "a". Include more surrounding lines to make it unique, or set replace_all.',
    );
    expect(runner.changes).toEqual([]);
    expect(await runner.say(editFileTool, edit('x', 'y', { replace_all: true }))).toMatch(/in 3 places/);
    expect(await runner.say(readFileTool, { path: 'a' })).toBe('y y y');
  });

  test('says that the text was not found, and possible reasons', async () => {
    const runner = await ToolRunner.with({ a: 'one\r\ntwo\r\n' });
    expect(await runner.refusal(editFileTool, edit('three', ''))).toMatch(/was not found in "a"\. Read the file again/);
    expect(await runner.refusal(editFileTool, edit('one\ntwo', ''))).toMatch(/Windows line endings: write \\r\\n/);
    expect(await runner.say(editFileTool, edit('one\r\ntwo', '1'))).toMatch(/Changed/);
    expect(await runner.say(readFileTool, { path: 'a' })).toBe('1\r\n');
  });

  test('keeps a byte order mark and everything outside the replaced text', async () => {
    const runner = await ToolRunner.with({ a: '\ufeffkey=1\n' });
    await runner.say(editFileTool, edit('1', '2'));
    expect(runner.changes).toMatchObject([{ newHash: sha256('\ufeffkey=2\n') }]);
  });

  test('refuses an edit without effect, and a file that is not text', async () => {
    const runner = await ToolRunner.with({ a: 'x', 'b.bin': Buffer.from([0xff, 0xfe]) });
    expect(await runner.refusal(editFileTool, edit('x', 'x'))).toMatch(/are identical/);
    expect(await runner.refusal(editFileTool, { path: 'b.bin', old_text: 'x', new_text: 'y' })).toMatch(/binary/);
    expect(await runner.refusal(editFileTool, { path: 'none', old_text: 'x', new_text: 'y' })).toMatch(
      /does not exist/,
    );
    expect(await runner.refusal(editFileTool, edit('', 'y'))).toMatch(/Invalid parameters/);
  });
});
