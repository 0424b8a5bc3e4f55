import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../../support/paths';

// As a user runs it: without Jest, on a server that the harness starts itself.
test("the example's own tests pass", async () => {
  const file = join(projectRoot, 'dist', 'examples', 'own-tools', 'report-risk.test.js');
  const { stdout } = await promisify(execFile)(process.execPath, ['--test', '--test-reporter=tap', file]);
  expect(stdout).toContain('# pass 5');
  expect(stdout).toContain('# fail 0');
});
