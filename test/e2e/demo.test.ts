import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startBaton } from '../cli/support/process';

describe('demo', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'baton-demo-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('runs without an API key in at most a minute and a half, and every claim holds', async () => {
    const { ended } = startBaton(['demo'], { cwd: folder, env: { BATON_STATE_DIR: join(folder, 'state') } });
    const { exitCode, stdout, stderr } = await ended;
    expect({ exitCode, stdout, stderr }).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^(\d+) of \1 claims held/m) as unknown,
    });
    expect(stdout).toContain('a scripted model on this machine answers');
    expect(stdout).toContain('An agent whose worker is killed');
    expect(stdout).toContain('An agent that delegates');
    expect(stdout).toContain('A delegation that waits for an operator');
    const claims = stdout.split('\n').filter((line) => line.startsWith('✓'));
    expect(claims.length).toBeGreaterThanOrEqual(30);
    expect(stdout).not.toMatch(/^✗/m);
  }, 150_000);
});
