import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningCommand, start } from '../cli/support/process';
import { projectRoot, typescriptHook } from '../support/paths';

describe('npm run soak', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'baton-soak-test-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const soak = (...args: string[]): RunningCommand =>
    start(process.execPath, ['-r', typescriptHook, join('scripts', 'soak', 'main.ts'), ...args], {
      cwd: projectRoot,
      env: { TMPDIR: folder },
    });

  test('plays every kind of run, prints a table, and leaves nothing behind', async () => {
    const { exitCode, stdout, stderr } = await soak(
      ...['--minutes', '0.2', '--rate', '50', '--workers', '1', '--keep', '1'],
    ).ended;
    expect({ stdout, stderr: exitCode === 0 ? '' : stderr, exitCode }).toMatchObject({ stderr: '', exitCode: 0 });
    expect(stdout).toMatch(/resident memory of a worker, MiB +\d+/);
    expect(stdout).toContain('every run ended as expected');
    expect(await readdir(folder)).toEqual([]);
  }, 300_000);

  test('ends its processes and deletes its data on Ctrl-C', async () => {
    const running = soak('--minutes', '5', '--rate', '60', '--workers', '1');
    await running.printed('runs started');
    const { exitCode, stdout } = await running.kill('SIGINT');
    expect(exitCode).toBe(130);
    expect(stdout).toContain('first quarter');
    expect(await readdir(folder)).toEqual([]);
  }, 300_000);

  test('refuses an option that it does not know, with a sentence and exit code 2', async () => {
    const { exitCode, stdout, stderr } = await soak('--minutes', 'ten').ended;
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(/^--minutes must be a number from 0\.1 to 10000, not "ten"\.\n/);
  });
});
