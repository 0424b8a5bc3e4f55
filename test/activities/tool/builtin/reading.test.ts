import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { listFilesTool, readFileTool } from '../../../../activities/tool/builtin/read-tools';
import { folderWith } from '../../../store/workspace/support';
import { ToolRunner } from './support';

const lines = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, n) => `line ${from + n}\n`).join('');

describe('read_file', () => {
  test('returns a file unchanged', async () => {
    const runner = await ToolRunner.with({ 'src/a.ts': 'one\r\ntwo' });
    expect(await runner.say(readFileTool, { path: 'src/a.ts' })).toBe('one\r\ntwo');
    expect(await runner.say(readFileTool, { path: './src/a.ts' })).toBe('one\r\ntwo');
  });

  test('returns a range of lines, and says how to read the rest', async () => {
    const runner = await ToolRunner.with({ a: lines(1, 50) });
    expect(await runner.say(readFileTool, { path: 'a', offset: 11, limit: 10 })).toBe(
      `${lines(11, 20)}\n[lines 11 to 20 of 50; continue with offset 21]`,
    );
    expect(await runner.say(readFileTool, { path: 'a', offset: 41, limit: 10 })).toBe(lines(41, 50));
    expect(await runner.refusal(readFileTool, { path: 'a', offset: 51 })).toBe('"a" has only 50 lines.');
  });

  test('returns 1,000 lines by default', async () => {
    const runner = await ToolRunner.with({ a: lines(1, 1_001) });
    expect(await runner.say(readFileTool, { path: 'a' })).toContain(
      '[lines 1 to 1000 of 1001; continue with offset 1001]',
    );
  });

  test('cuts very long lines, but never inside a character', async () => {
    const runner = await ToolRunner.with({ a: `${'x'.repeat(1_999)}\u{1F600}${'y'.repeat(998)}\nend\n` });
    expect(await runner.say(readFileTool, { path: 'a' })).toBe(
      `${'x'.repeat(1_999)} [1000 more characters in this line]\nend\n`,
    );
  });

  test('says why something cannot be read', async () => {
    const folder = await folderWith({
      'a/b': '',
      'x.bin': Buffer.from([0, 1]),
      big: 'x'.repeat(50),
      empty: '',
      '.env': 'S=1',
    });
    await symlink('empty', join(folder, 'link'));
    const runner = await ToolRunner.over(folder, { maxFileBytes: 20 });
    expect(await runner.refusal(readFileTool, { path: 'a' })).toMatch(/is a folder\. Use list_files/);
    expect(await runner.refusal(readFileTool, { path: 'none' })).toMatch(/"none" does not exist.*list_files/);
    expect(await runner.refusal(readFileTool, { path: 'x.bin' })).toMatch(/binary file of 2 bytes/);
    expect(await runner.refusal(readFileTool, { path: 'big' })).toMatch(/too large \(50 bytes\)/);
    expect(await runner.refusal(readFileTool, { path: 'link' })).toMatch(/symbolic link, which is not followed/);
    expect(await runner.refusal(readFileTool, { path: '.env' })).toMatch(/may contain secrets/);
    expect(await runner.refusal(readFileTool, { path: 'link/x' })).toMatch(/does not exist/);
    expect(await runner.say(readFileTool, { path: 'empty' })).toBe('"empty" is empty.');
  });

  test('says so when there is no workspace', async () => {
    expect(await new ToolRunner().refusal(readFileTool, { path: 'a' })).toBe(
      'You have no workspace: there are no files.',
    );
  });
});

describe('list_files', () => {
  test('lists a folder with paths that other tools accept', async () => {
    const runner = await ToolRunner.with({ 'a.md': '', 'src/b.ts': '', 'src/lib/c.ts': '' });
    expect(await runner.say(listFilesTool, {})).toBe('a.md\nsrc/');
    expect(await runner.say(listFilesTool, { path: 'src/' })).toBe('src/b.ts\nsrc/lib/');
    expect(await runner.say(listFilesTool, { recursive: true })).toBe('a.md\nsrc/\nsrc/b.ts\nsrc/lib/\nsrc/lib/c.ts');
  });

  test('says what cannot be read as text', async () => {
    const folder = await folderWith({ 'x.bin': Buffer.from([0]), 'z.log': 'x'.repeat(50) });
    await symlink('/etc/passwd', join(folder, 'y'));
    const runner = await ToolRunner.over(folder, { maxFileBytes: 20 });
    expect(await runner.say(listFilesTool, {})).toBe(
      'x.bin  [binary, 1 bytes]\ny  [link, not followed]\nz.log  [too large to read, 50 bytes]',
    );
  });

  test('stops at 1,000 entries', async () => {
    const runner = await ToolRunner.with({ x: '' });
    for (let n = 0; n < 1_005; n += 1) {
      runner.changes.push({ path: `d/${n}`, expectedHash: null, newHash: 'a'.repeat(64), bytes: 1 });
    }
    const listed = (await runner.say(listFilesTool, { recursive: true })).split('\n');
    expect(listed).toHaveLength(1_001);
    expect(listed.at(-1)).toBe('[more than 1000 entries; list a subfolder instead]');
  });

  test('says why there is nothing to list', async () => {
    const runner = await ToolRunner.with({ a: '' });
    expect(await runner.refusal(listFilesTool, { path: 'a' })).toMatch(/not a folder\. Use read_file/);
    expect(await runner.refusal(listFilesTool, { path: 'b' })).toMatch(/"b" does not exist/);
    expect(await runner.refusal(listFilesTool, { path: '.git' })).toMatch(/may contain secrets/);
    expect(await (await ToolRunner.with({})).say(listFilesTool, {})).toBe('The workspace is empty.');
  });
});
