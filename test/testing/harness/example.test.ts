import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../../support/paths';

const examples = join(projectRoot, 'examples');
const compiled = join(projectRoot, 'dist', 'examples');

/** Runs test files without Jest, as a user does, and returns the summary. */
async function testsOf(cwd: string, files: readonly string[], address: string | undefined): Promise<string> {
  const env = { ...process.env, TEST_SERVER_ADDRESS: address };
  const args = ['--test', '--test-reporter=tap', ...files];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd, env }).catch((error: unknown) => {
    throw new Error((error as { stdout: string }).stdout);
  });
  return stdout;
}

// On a server that the harness starts itself.
test("the tests of own-tools pass, and need nothing that isn't there", async () => {
  const summary = await testsOf(projectRoot, [join(compiled, 'own-tools', 'report-risk.test.js')], undefined);
  expect(summary).toContain('# pass 5');
  expect(summary).toContain('# fail 0');
});

const projects = readdirSync(examples).filter((name) => readdirSync(join(examples, name)).includes('src'));
const starters = projects.filter((name) => name !== 'sample-project');

test('there are five projects to start from, each on a page of its own and in the list of all', () => {
  expect(starters).toHaveLength(5);
  const list = readFileSync(join(projectRoot, 'docs', 'examples.md'), 'utf8');
  for (const name of starters) {
    expect(list).toContain(`(../examples/${name}/README.md)`);
    expect(readFileSync(join(examples, name, 'README.md'), 'utf8').split('\n').length).toBeLessThanOrEqual(60);
  }
});

// Their first test compares the output of `npm run try` with the page.
test.each(starters)('the tests of %s pass', async (name) => {
  const folder = join(compiled, name, 'src');
  const files = readdirSync(folder).filter((file) => file.endsWith('.test.js'));
  const summary = await testsOf(
    join(examples, name),
    files.map((file) => join(folder, file)),
    process.env['BATON_TEST_ADDRESS'],
  );
  expect(Number(/^# pass (\d+)$/m.exec(summary)?.[1])).toBeGreaterThanOrEqual(2);
  expect(summary).toContain('# fail 0');
});
