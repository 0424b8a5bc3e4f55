import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { projectRoot, typescriptHook } from '../support/paths';
import { describeWithCluster } from '../support/stores';

describeWithCluster('a cluster of Temporal on PostgreSQL, an S3 server and three workers with empty disks', () => {
  test('has the right results, whatever is killed, and leaves nothing behind', async () => {
    const script = join(projectRoot, 'scripts', 'cluster', 'main.ts');
    const child = spawn(process.execPath, ['-r', typescriptHook, script, '--short', '--seed', '1'], {
      cwd: projectRoot,
      // PostgreSQL may run as another user, who can't enter a folder of this test.
      env: { ...process.env, TMPDIR: '/tmp' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
    const code = await new Promise((resolve) => child.once('close', resolve));
    expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining('everything held') as unknown });
    for (const target of ['worker', 'PostgreSQL', 'the S3 server'])
      expect(output).toMatch(new RegExp(`at call \\d+: ${target}.* killed`));
  }, 600_000);
});
