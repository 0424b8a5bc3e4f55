import type { Client } from '@temporalio/client';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { batonBin } from '../../support/paths';
import { batonInProcess, type Printed } from '../support/in-process';
import { start } from '../support/process';

describe('init in a folder that exists', () => {
  let folder = '';
  let project = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'baton-init-'));
    project = join(folder, "it's a project");
    await mkdir(project);
  });
  afterEach(() => rm(folder, { recursive: true }));

  const init = (): Promise<Printed> => batonInProcess({ client: {} as Client, folder, env: {} }, ['init', project]);
  const found = async (): Promise<string[]> => (await readdir(project, { recursive: true })).sort();

  test('keeps what is there, and says how to go there', async () => {
    await mkdir(join(project, 'src'));
    await writeFile(join(project, 'src', 'mine.ts'), 'mine');
    const { exitCode, stderr } = await init();
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(/^ {2}\$ cd '.*it'\\''s a project'$/m);
    expect(await readFile(join(project, 'src', 'mine.ts'), 'utf8')).toBe('mine');
    expect(await found()).toEqual(expect.arrayContaining(['package.json', 'src/worker.ts', 'src/mine.ts']));
  });

  test.each<[string, string, () => Promise<void>]>([
    ['a file of the project exists', 'package.json', () => writeFile(join(project, 'package.json'), '{}')],
    ['a file of the project is a link to nowhere', 'README.md', () => symlink('nowhere', join(project, 'README.md'))],
    ['one of its folders is a file', 'src', () => writeFile(join(project, 'src'), 'mine')],
    ['one of its folders is a link', '.baton', () => symlink(folder, join(project, '.baton'))],
  ])('writes nothing if %s', async (_, name, prepare) => {
    await prepare();
    const before = await found();
    const { exitCode, stderr } = await init();
    expect(stderr).toContain(`already has ${name}. Nothing was written.`);
    expect(exitCode).toBe(1);
    expect(await found()).toEqual(before);
    expect(await readdir(folder)).toEqual(["it's a project"]);
  });

  test('leaves no half of a project behind if a file cannot be written', async () => {
    // README.md fits into three blocks, the test of the project does not.
    const command = `ulimit -f 3; exec "${process.execPath}" "${batonBin}" init .`;
    const { exitCode, stderr } = await start('sh', ['-c', command], { cwd: project, env: {} }).ended;
    expect(stderr).toContain('EFBIG');
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(exitCode).toBe(1);
    expect(await found()).toEqual(['.baton', '.baton/skills', 'src']);
  });
});
